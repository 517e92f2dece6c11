// SPDX-License-Identifier: BSD-3-Clause
// Single kernels, relative to the machine's peaks, for each instruction set.
#include "machine.hpp"
#include "workload.hpp"

using namespace prism;
using bench::cores;

namespace {

/// Value and gradient of a side's uniformity: 6 n^2/2 d operations.
template <class Isa>
void pair_potential(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto dim = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  const ThreadLimit limit(threads);
  const Matrix<float> table = bench::random_unit_rows(n, dim);
  auto gradient = zeros<float>(n, dim);
  Scratch scratch;
  for (auto _ : state) {
    scratch.reset();
    benchmark::DoNotOptimize(prism::pair_potential(
        prism::host<Isa>, rows(table), 4.0, [](double total) { return 1 / total; }, rows(gradient),
        scratch));
  }
  const double pairs = static_cast<double>(n) * static_cast<double>(n) / 2;
  bench::count_operations(state, 6 * pairs * static_cast<double>(dim), threads);
}

/// MLP's tower of two layers on rows at random: forward (4 n d^2 operations), or forward and
/// backward (12 n d^2).
template <bool Backward>
void tower(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto dim = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  const ThreadLimit limit(threads);
  constexpr Index table_size = 30'000;
  const Matrix<float> table = bench::random_rows(table_size, dim),
                      weight = bench::random_rows(dim, dim), bias = bench::random_rows(1, dim),
                      output_gradient = bench::random_rows(n, dim);
  const Random random(5, Stream::synthetic);
  std::vector<Index> indices(n);
  for (std::size_t r = 0; r < n; ++r) indices[r] = random.uniform_int(r, table_size);
  const LayerView<float> layer{rows(weight), bias.data()};
  auto output = zeros<float>(n, dim);
  std::array of_weight{zeros<float>(dim, dim), zeros<float>(dim, dim)};
  std::array of_bias{zeros<float>(1, dim), zeros<float>(1, dim)};
  const std::array<Rows<float>, 4> of_layers{rows(of_weight[0]), rows(of_bias[0]),
                                             rows(of_weight[1]), rows(of_bias[1])};
  Scratch scratch;
  for (auto _ : state) {
    scratch.reset();
    const auto saved = tower_forward<float>(par, {rows(table), indices}, std::array{layer, layer},
                                            ReLU{}, rows(output), scratch);
    benchmark::DoNotOptimize(output.data());
    if constexpr (Backward) {
      benchmark::DoNotOptimize(
          tower_backward<float>(par, saved, rows(output_gradient), ReLU{}, of_layers, scratch));
    }
  }
  const double of_product = 2.0 * static_cast<double>(n * dim * dim);
  bench::count_operations(state, (Backward ? 6 : 2) * of_product, threads);
}

/// The dot products of one row with many rows in cache.
template <class Isa>
void dot(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t size = 128;
  const Matrix<float> table = bench::random_rows(size, dim);
  for (auto _ : state) {
    float sum = 0;
    for (std::size_t r = 0; r < size; ++r) {
      sum += prism::dot<Isa>(rows(table)[0], rows(table)[r], dim);
    }
    benchmark::DoNotOptimize(sum);
  }
  bench::count_operations(state, 2.0 * size * static_cast<double>(dim), 1);
}

/// The scores of 96 users with 64 items, as in ranking.
template <class Isa>
void matrix_product(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t users = 96, items = 64;
  const Matrix<float> left = bench::random_rows(users, dim), right = bench::random_rows(dim, items);
  auto scores = zeros<float>(users, items);
  for (auto _ : state) {
    prism::detail::matrix_product<detail::Store::overwrite, Isa, float>(
        users, items, dim, {left.data(), dim, 1}, right.data(), items, scores.data(), items);
    benchmark::DoNotOptimize(scores.data());
    benchmark::ClobberMemory();
  }
  bench::count_operations(state, 2.0 * users * items * static_cast<double>(dim), 1);
}

/// Adam steps of rows in cache.
template <class Isa>
void adam(benchmark::State& state) {
  constexpr std::size_t size = 32, dim = 64;
  // A constant gradient, so that weights and moments do not shrink to denormals, which would be
  // timed.
  const Matrix<float> g = bench::random_rows(size, dim);
  Matrix<float> w = g, m = g, v = g;
  for (float& x : v) x *= x;
  const detail::AdamConstants<float> constant(0.9, 0.999, 1e-8);
  const detail::AdamStep<float> step(1e-3, 0.9, 0.999, 100);
  for (auto _ : state) {
    for (std::size_t r = 0; r < size; ++r) {
      detail::adam_row<Isa, float>(rows(w)[r], rows(m)[r], rows(v)[r], rows(g)[r], 0, constant,
                                   step, dim);
    }
    benchmark::DoNotOptimize(w.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

/// Exponentials of numbers in cache.
template <class T>
void exponential(benchmark::State& state) {
  constexpr std::size_t size = 4096;
  const Matrix<T> from = bench::random_rows<T>(1, size);
  Matrix<T> to = from;
  using P = Pack<T, isa::native>;
  for (auto _ : state) {
    for (std::size_t i = 0; i < size; i += P::width) exp(P::load(from.data() + i)).store(&to(0, i));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

/// The sum of 32 rows at random indices of a table in cache.
template <class Isa>
void weighted_sum(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  constexpr Index size = 128, row_count = 32;
  const Matrix<float> table = bench::random_rows(size, dim);
  const std::vector<float> weight(size, 0.5F);
  const Random random(5, Stream::synthetic);
  std::vector<Index> indices(row_count);
  for (Index p = 0; p < row_count; ++p) indices[p] = random.uniform_int(p, size);
  std::vector<float> to(dim);
  for (auto _ : state) {
    prism::detail::weighted_sum<Isa>(
        to.data(), 1.0F, std::span<const Index>(indices),
        [&](std::size_t j) { return weight[indices[j]]; }, rows(std::as_const(table)));
    benchmark::DoNotOptimize(to.data());
  }
  bench::count_operations(state, 2.0 * row_count * static_cast<double>(dim), 1);
}

template <class Isa>
void register_variant(const std::string& isa) {
  if constexpr (isa_supported<Isa>) {
    const auto name = [&](const char* kernel) { return kernel + ("<" + isa + ">"); };
    const auto add = [&](const char* kernel, void (*run)(benchmark::State&)) {
      return benchmark::RegisterBenchmark(name(kernel).c_str(), run)->UseRealTime();
    };
    add("pair_potential", pair_potential<Isa>)
        ->ArgNames({"n", "d", "threads"})
        ->Args({4096, 64, 1})
        ->Unit(benchmark::kMillisecond);
    add("dot", dot<Isa>)->ArgName("d")->Arg(64);
    add("matrix_product", matrix_product<Isa>)
        ->ArgName("d")
        ->Arg(64)
        ->Unit(benchmark::kMicrosecond);
    add("adam", adam<Isa>);
    add("weighted_sum", weighted_sum<Isa>)->ArgName("d")->Arg(64);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("pair_potential", pair_potential<isa::native>)
      ->ArgNames({"n", "d", "threads"})
      ->ArgsProduct({{4096}, {32, 64, 128, 256}, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark("exp, float", exponential<float>)->UseRealTime();
  benchmark::RegisterBenchmark("exp, double", exponential<double>)->UseRealTime();
  for (const bool backward : {false, true}) {
    benchmark::RegisterBenchmark(backward ? "tower, forward and backward" : "tower, forward",
                                 backward ? tower<true> : tower<false>)
        ->ArgNames({"n", "d", "threads"})
        ->ArgsProduct({{4096}, {64, 128, 256}, {1, cores}})
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  register_variant<isa::scalar>("scalar");
  register_variant<isa::sse2>("sse2");
  register_variant<isa::avx2>("avx2");
  register_variant<isa::avx512>("avx512");
  register_variant<isa::amx>("amx");
  register_variant<isa::neon>("neon");
  return bench::run_benchmarks(argc, argv);
}
