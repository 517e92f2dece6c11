// SPDX-License-Identifier: BSD-3-Clause
// The machine's peak rates, measured in the same run as the results given relative to them.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <prism/core/matrix.hpp>
#include <prism/core/parallel.hpp>
#include <prism/execution/host.hpp>
#include <prism/kernel/pack.hpp>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// The number of this machine's cores, as a benchmark's argument.
inline const auto cores =
    static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));

/// The shortest of several runs, in seconds.
template <class Body>
double shortest_seconds(const Body& body, int runs = 10) {
  double shortest = 1e300;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, taken.count());
  }
  return shortest;
}

/// Runs body(thread) on this many threads at once.
template <class Body>
void on_threads(std::size_t threads, const Body& body) {
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back([&body, t] { body(t); });
  body(std::size_t{0});
}

/// Floating-point operations per second of independent multiply-adds in registers, each counted as
/// two: an upper limit for every kernel.
template <class T = float, class Isa = prism::isa::native>
double fma_peak(std::size_t threads) {
  static std::map<std::size_t, double> known;
  double& peak = known[threads];
  if (peak > 0) return peak;
  using P = prism::Pack<T, Isa>;
  constexpr std::size_t chains = 12, rounds = 4'000'000;
  const auto run = [&](std::size_t) {
    P sums[chains];
    for (P& sum : sums) sum = P::broadcast(1);
    const P factor = P::broadcast(T(0.999)), term = P::broadcast(T(0.001));
    for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
      for (P& chain : sums) chain = fused_multiply_add(chain, factor, term);
    }
    for (P& chain : sums) benchmark::DoNotOptimize(chain);
  };
  const double operations = 2.0 * static_cast<double>(chains * P::width * rounds * threads);
  return peak = operations / shortest_seconds([&] { on_threads(threads, run); });
}

/// Bytes per second of a[i] = b[i] + s * c[i] over arrays larger than any cache (STREAM's triad:
/// three numbers moved per element).
inline double bandwidth(std::size_t threads) {
  static std::map<std::size_t, double> known;
  double& peak = known[threads];
  if (peak > 0) return peak;
  constexpr std::size_t each = std::size_t{96} << 20;  // 384 MiB of float per array
  using Array = prism::TableVector<float>;
  const std::size_t size = each / threads;
  std::vector<Array> a(threads), b(threads), c(threads);
  on_threads(threads, [&](std::size_t t) {
    a[t].resize(size);
    b[t].assign(size, 1);
    c[t].assign(size, 2);
  });
  const auto run = [&](std::size_t t) {
    prism::for_each_pack<prism::isa::native, float>(
        size, [&]<class P>(std::type_identity<P>, std::size_t i) {
          fused_multiply_add(P::broadcast(3), P::load(c[t].data() + i), P::load(b[t].data() + i))
              .store(a[t].data() + i);
        });
    benchmark::DoNotOptimize(a[t].data());
  };
  const double bytes = 3.0 * sizeof(float) * static_cast<double>(size * threads);
  return peak = bytes / shortest_seconds([&] { on_threads(threads, run); });
}

/// Reports operations per second, and as a fraction of the machine's peak.
/// @param operations  per iteration
inline void count_operations(benchmark::State& state, double operations, std::size_t threads) {
  using benchmark::Counter;
  const double all = operations * static_cast<double>(state.iterations());
  state.counters["FLOP/s"] = Counter(all, Counter::kIsRate, Counter::kIs1000);
  state.counters["% of FMA peak"] = Counter(100 * all / fma_peak(threads), Counter::kIsRate);
}

/// Reports bytes per second, and as a fraction of the machine's bandwidth.
/// @param bytes  per iteration
inline void count_bytes(benchmark::State& state, double bytes, std::size_t threads) {
  using benchmark::Counter;
  const double all = bytes * static_cast<double>(state.iterations());
  state.counters["B/s"] = Counter(all, Counter::kIsRate, Counter::kIs1000);
  state.counters["% of bandwidth"] = Counter(100 * all / bandwidth(threads), Counter::kIsRate);
}

/// Prints the machine's peaks, then runs the benchmarks selected on the command line.
inline int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const std::int64_t count : {std::int64_t{1}, cores}) {
    const auto threads = static_cast<std::size_t>(count);
    benchmark::AddCustomContext(
        "peak of " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
        std::to_string(fma_peak(threads) / 1e9) + " GFLOP/s of multiply-adds, " +
            std::to_string(bandwidth(threads) / 1e9) + " GB/s of memory");
    if (cores == 1) break;
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace bench
