// SPDX-License-Identifier: BSD-3-Clause
// A device's peak rates, measured in the same run as the results given relative to them, and times
// by the device's own clock.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <prism/cuda.hpp>
#include <string>

namespace bench {

/// The time between two points of the stream of cuda::device().
class DeviceClock {
 public:
  DeviceClock() {
    prism::cuda::check(cudaEventCreate(&begin_), "making an event");
    prism::cuda::check(cudaEventCreate(&end_), "making an event");
  }
  ~DeviceClock() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  DeviceClock(const DeviceClock&) = delete;
  DeviceClock& operator=(const DeviceClock&) = delete;

  /// Seconds that body() and the work that it launches take.
  template <class Body>
  double seconds(const Body& body) {
    const cudaStream_t stream = prism::cuda::detail::stream();
    prism::cuda::check(cudaEventRecord(begin_, stream), "recording an event");
    body();
    prism::cuda::check(cudaEventRecord(end_, stream), "recording an event");
    prism::cuda::check(cudaEventSynchronize(end_), "waiting for an event");
    float milliseconds = 0;
    prism::cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading a time");
    return static_cast<double>(milliseconds) * 1e-3;
  }

  /// The shortest of several runs.
  template <class Body>
  double shortest_seconds(const Body& body, int runs = 10) {
    double shortest = 1e300;
    for (int run = 0; run < runs; ++run) {
      const double taken = seconds(body);
      shortest = taken < shortest ? taken : shortest;
    }
    return shortest;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

/// Independent multiply-adds in registers.
static __global__ void multiply_adds(float* out, int rounds) {
  constexpr int chains = 8;
  float sums[chains];
  for (int c = 0; c < chains; ++c) sums[c] = static_cast<float>(threadIdx.x + c);
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int c = 0; c < chains; ++c) sums[c] = fmaf(sums[c], 0.999F, 0.001F);
  }
  float total = 0;
  for (int c = 0; c < chains; ++c) total += sums[c];
  out[std::size_t{blockIdx.x} * blockDim.x + threadIdx.x] = total;
}

/// Multiply-adds of floats per second, each counted as two operations.
inline double fma_peak() {
  static const double peak = [] {
    constexpr int blocks = 2048, threads = 256, rounds = 20000;
    prism::TableVector<float> out(std::size_t{blocks} * threads, prism::cuda::memory());
    DeviceClock clock;
    const double seconds = clock.shortest_seconds([&] {
      multiply_adds<<<blocks, threads, 0, prism::cuda::detail::stream()>>>(out.data(), rounds);
      prism::cuda::check(cudaGetLastError(), "starting the multiply-adds");
    });
    return 2.0 * 8 * rounds * blocks * threads / seconds;
  }();
  return peak;
}

/// Bytes per second of a copy within the device's memory, counting both reads and writes.
inline double bandwidth() {
  static const double peak = [] {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    void *from = nullptr, *to = nullptr;
    prism::cuda::check(cudaMalloc(&from, bytes), "allocating");
    prism::cuda::check(cudaMalloc(&to, bytes), "allocating");
    DeviceClock clock;
    const double seconds = clock.shortest_seconds([&] {
      static_cast<void>(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                        prism::cuda::detail::stream()));
    });
    static_cast<void>(cudaFree(from));
    static_cast<void>(cudaFree(to));
    return 2.0 * static_cast<double>(bytes) / seconds;
  }();
  return peak;
}

inline void count_operations(benchmark::State& state, double operations) {
  using benchmark::Counter;
  const double all = operations * static_cast<double>(state.iterations());
  state.counters["FLOP/s"] = Counter(all, Counter::kIsRate, Counter::kIs1000);
  state.counters["% of FMA peak"] = Counter(100 * all / fma_peak(), Counter::kIsRate);
}

inline void count_bytes(benchmark::State& state, double bytes) {
  using benchmark::Counter;
  const double all = bytes * static_cast<double>(state.iterations());
  state.counters["B/s"] = Counter(all, Counter::kIsRate, Counter::kIs1000);
  state.counters["% of bandwidth"] = Counter(100 * all / bandwidth(), Counter::kIsRate);
}

}  // namespace bench
