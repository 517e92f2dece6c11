// SPDX-License-Identifier: BSD-3-Clause
// Every item ranked for every user, seen items masked, the best 20 kept.
#include "machine.hpp"
#include "workload.hpp"

using namespace prism;
using bench::cores;

namespace {

/// 2 x users x items x d operations. With quantised pruning most of them are on bytes, and an
/// instruction processes four times as many bytes: the fraction of the peak may exceed 100%.
template <Pruning Choice>
void ranking(benchmark::State& state) {
  const auto dim = static_cast<std::size_t>(state.range(0));
  const auto k = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  const ThreadLimit limit(threads);
  const Interactions& seen = bench::gowalla_sized();
  const Matrix<float> users = bench::random_rows(seen.users(), dim);
  const Matrix<float> items = bench::random_rows(seen.items(), dim);
  const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
  std::vector<Index> all(seen.users());
  for (Index user = 0; user < all.size(); ++user) all[user] = user;
  const Interactions* const exclude[] = {&seen};
  for (auto _ : state) {
    rank_items(
        scorer, all, k, exclude, Similarity::dot,
        [](std::size_t, auto best) { benchmark::DoNotOptimize(best.data()); }, Choice);
  }
  bench::count_operations(
      state, 2.0 * static_cast<double>(seen.users()) * seen.items() * static_cast<double>(dim),
      threads);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("ranking", ranking<Pruning::automatic>)
      ->ArgNames({"d", "k", "threads"})
      ->ArgsProduct({{64}, {20}, {1, cores}})
      ->Args({32, 20, cores})
      ->Args({128, 20, cores})
      ->Args({64, 1, cores})
      ->Args({64, 100, cores})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark("ranking, every score in float", ranking<Pruning::never>)
      ->ArgNames({"d", "k", "threads"})
      ->ArgsProduct({{64}, {20}, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  return bench::run_benchmarks(argc, argv);
}
