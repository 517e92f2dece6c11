// SPDX-License-Identifier: BSD-3-Clause
// How an epoch scales with interactions, ranking with items, and a step with dimensions; each on
// one thread and on all.
#include "machine.hpp"
#include "workload.hpp"

using namespace prism;
using bench::cores;

namespace {

template <class Loss>
void epoch(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(1)));
  const auto count = static_cast<std::size_t>(state.range(0));
  const Interactions train =
      bench::interactions_of(bench::gowalla_users, bench::gowalla_items, count);
  Recommender<MF<64>, Loss> model(train);
  const Split split{model.train(), Interactions(), Interactions()};
  for (auto _ : state) fit(model, split, {.epochs = 1}, Silent());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(train.size()));
}

/// The top 20 of all items for each of 5,000 users.
void ranking(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(1));
  const ThreadLimit limit(threads);
  const auto item_count = static_cast<Index>(state.range(0));
  constexpr Index user_count = 5000;
  constexpr std::size_t dim = 64;
  const Interactions seen = bench::interactions_of(user_count, item_count, 150'000);
  const Matrix<float> users = bench::random_rows(user_count, dim);
  const Matrix<float> items = bench::random_rows(item_count, dim);
  const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
  std::vector<Index> all(user_count);
  for (Index user = 0; user < user_count; ++user) all[user] = user;
  const Interactions* const exclude[] = {&seen};
  for (auto _ : state) {
    rank_items(scorer, all, 20, exclude, Similarity::dot,
               [](std::size_t, auto best) { benchmark::DoNotOptimize(best.data()); });
  }
  bench::count_operations(state, 2.0 * user_count * item_count * dim, threads);
}

template <class Loss>
void step(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(1)));
  using Model = Recommender<MF<dynamic>, Loss>;
  Model model(bench::gowalla_sized(),
              {.backbone = MF<dynamic>(static_cast<std::size_t>(state.range(0)))});
  Trainer trainer(model);
  bench::EpochBatches<Model> batches(model, 4096);
  for (auto _ : state) benchmark::DoNotOptimize(bench::take_step(trainer, batches));
}

void add(const char* name, void (*run)(benchmark::State&), const char* what,
         std::vector<std::int64_t> sizes) {
  benchmark::RegisterBenchmark(name, run)
      ->ArgNames({what, "threads"})
      ->ArgsProduct({sizes, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  add("epoch: BPR", epoch<BPR>, "interactions", {250'000, 500'000, 1'000'000, 2'000'000});
  add("epoch: SSM", epoch<SSM>, "interactions", {250'000, 500'000, 1'000'000});
  add("ranking", ranking, "items", {10'000, 20'000, 40'000, 80'000, 160'000});
  add("step: BPR", step<BPR>, "d", {16, 32, 64, 128, 256});
  add("step: DirectAU", step<DirectAU>, "d", {16, 32, 64, 128, 256});
  return bench::run_benchmarks(argc, argv);
}
