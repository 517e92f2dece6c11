// SPDX-License-Identifier: BSD-3-Clause
// What a training step and a ranking are made of, at Gowalla's size: 29,858 users x 40,981 items,
// 64 dimensions, batches of 4096 pairs.
#include <benchmark/benchmark.h>

#include <prism/prism.hpp>
#include <vector>

using namespace prism;

namespace {

constexpr Index users = 29858, items = 40981;

Matrix<float> unit_rows(std::size_t n, std::size_t dim) {
  auto table = zeros<float>(n, dim);
  const Random random(1, Stream::synthetic);
  for (std::size_t i = 0; i < table.size(); ++i) {
    table.data()[i] = static_cast<float>(random.normal(i));
  }
  for (std::size_t r = 0; r < n; ++r) normalise(rows(table)[r], rows(table)[r], dim);
  return table;
}

std::vector<Interaction> some_pairs(std::size_t n) {
  const Random random(2, Stream::synthetic);
  std::vector<Interaction> pairs(n);
  for (std::size_t p = 0; p < n; ++p) {
    pairs[p] = {random.below(2 * p, users), random.below(2 * p + 1, items)};
  }
  return pairs;
}

void flops(benchmark::State& state, double operations) {
  state.counters["FLOP/s"] =
      benchmark::Counter(operations * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

/// Value and gradient of a side's uniformity: 6 n^2/2 d floating-point operations.
void pair_potential_4096(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const Matrix<float> table = unit_rows(4096, dim);
  auto gradient = zeros<float>(4096, dim);
  Scratch scratch;
  for (auto _ : state) {
    scratch.reset();
    benchmark::DoNotOptimize(pair_potential(
        rows(table), 4.0, [](double total) { return 1 / total; }, rows(gradient), scratch));
  }
  flops(state, 3.0 * 4096 * 4096 * static_cast<double>(dim));
}
BENCHMARK(pair_potential_4096)
    ->Arg(32)
    ->Arg(64)
    ->Arg(128)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

template <class Loss>
void training_step(benchmark::State& state) {
  const std::vector<Interaction> pairs = some_pairs(4096);
  Recommender<MF<64>, Loss> model(Interactions(users, items, pairs));
  Trainer trainer(model);
  const Random random(3, Stream::negatives);
  for (auto _ : state) {
    benchmark::DoNotOptimize(trainer.step(pairs, trainer.sample(pairs, random, 0), 1e-3));
  }
}
BENCHMARK(training_step<DirectAU>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(training_step<BPR>)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Every item for 3,000 users, top 20, seen items masked: 2 x users x items x d operations.
void full_ranking(benchmark::State& state) {
  const Interactions data(users, items, some_pairs(1000000));
  const Recommender<MF<64>, BPR> model(data);
  std::vector<Index> some(3000);
  for (Index u = 0; u < some.size(); ++u) some[u] = u;
  const Interactions* const exclude[] = {&data};
  for (auto _ : state) {
    rank_items(model.scorer(), some, 20, exclude, Similarity::dot,
               [](std::size_t, auto best) { benchmark::DoNotOptimize(best.data()); });
  }
  flops(state, 2.0 * 3000 * items * 64);
}
BENCHMARK(full_ranking)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
