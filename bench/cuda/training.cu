// SPDX-License-Identifier: BSD-3-Clause
// Training steps, epochs and ranking at Gowalla's size on a CUDA device: 29,858 users x 40,981
// items, 64 dimensions.
#include <cmath>
#include <cstdio>

#include "device.hpp"
#include "workload.hpp"

using namespace prism;

namespace bench {

/// Training steps of a model on an epoch's batches. @param operations  per step, or 0
template <class Model>
void step(benchmark::State& state, const typename Model::Options& options, double operations,
          double bytes) {
  Model model(gowalla_sized(), options);
  prism::detail::WorkingModel<Model, cuda::Device> working(cuda::device(), model);
  Trainer<Model, cuda::Device> trainer(working.get(), cuda::device());
  EpochBatches<Model> batches(working.get(), static_cast<std::size_t>(state.range(0)),
                              memory_of(cuda::device()));
  DeviceClock clock;
  for (int warm = 0; warm < 20; ++warm) take_step(trainer, batches);
  for (auto _ : state) state.SetIterationTime(clock.seconds([&] { take_step(trainer, batches); }));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  if (operations > 0) count_operations(state, operations);
  if (bytes > 0) count_bytes(state, bytes);
}

/// What fit() does in an epoch, without validation.
template <class Model>
void epoch(benchmark::State& state) {
  Model model(gowalla_sized());
  const Split split{model.train(), Interactions(), Interactions()};
  TrainingSession session(cuda::device(), model, split,
                          {.learning_rate = 1e-3,
                           .batch_size = static_cast<std::size_t>(state.range(0)),
                           .epochs = 1000000});
  DeviceClock clock;
  session.run_epoch();
  for (auto _ : state) state.SetIterationTime(clock.seconds([&] { session.run_epoch(); }));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(split.train.size()));
}

/// The top 20 of all items for every user, excluding those of the training set.
void ranking(benchmark::State& state) {
  using Model = Recommender<MF<64>, BPR>;
  Model model(gowalla_sized());
  prism::detail::WorkingModel<Model, cuda::Device> working(cuda::device(), model);
  const Scorer<float> scorer = working.get().scorer(cuda::device());
  const Interactions& train = working.get().train();
  std::vector<Index> users(train.users());
  for (std::size_t u = 0; u < users.size(); ++u) users[u] = static_cast<Index>(u);
  const Interactions* const exclude[] = {&train};
  DeviceClock clock;
  std::vector<float> best_scores(users.size());  // read, so that the lists are computed
  const auto rank = [&] {
    rank_items(cuda::device(), scorer, std::span<const Index>(users), 20,
               std::span<const Interactions* const>(exclude), Similarity::dot,
               [&](std::size_t position, std::span<const ScoredItem<float>> best) {
                 if (!best.empty()) best_scores[position] = best[0].score;
               });
  };
  rank();
  for (auto _ : state) state.SetIterationTime(clock.seconds(rank));
  benchmark::DoNotOptimize(best_scores.data());
  count_operations(state, 2.0 * 64 * gowalla_users * gowalla_items);
}

template <class Model>
void add_step(const char* name, std::int64_t batch, const typename Model::Options& options = {},
              double operations = 0, double bytes = 0) {
  benchmark::RegisterBenchmark(
      name, [=](benchmark::State& state) { step<Model>(state, options, operations, bytes); })
      ->Arg(batch)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class Model>
void add_epoch(const char* name, std::int64_t batch) {
  benchmark::RegisterBenchmark(name, [](benchmark::State& state) { epoch<Model>(state); })
      ->Arg(batch)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 0;
  }
  benchmark::AddCustomContext("peak of the device", std::to_string(bench::fma_peak() / 1e12) +
                                                        " TFLOP/s of multiply-adds, " +
                                                        std::to_string(bench::bandwidth() / 1e12) +
                                                        " TB/s of memory");
  // Bytes per row: weights and two moments, read and written.
  constexpr double row = 6.0 * sizeof(float) * 64;
  // The distinct rows that a batch of uniform draws reaches, expected; popular items are drawn more
  // often, so that a batch of pairs reaches fewer.
  const auto distinct = [](double drawn, double of) {
    return of * (1 - std::pow(1 - 1 / of, drawn));
  };
  constexpr double users = 29'858, items = 40'981;
  // DirectAU: the cosines of all pairs of the batch's distinct users, and of its items, and the
  // products with them, each pair once.
  constexpr double pairs = 4096.0 * 4096.0 / 2 * 64 * 2 * 3 * 2;
  bench::add_step<Recommender<MF<64>, BPR>>(
      "step/BPR", 16384, {}, 0, row * (distinct(16384, users) + distinct(2 * 16384, items)));
  bench::add_step<Recommender<MF<64>, SSM>>(
      "step/SSM, 10 negatives", 16384, {}, 0,
      row * (distinct(16384, users) + distinct(11 * 16384, items)));
  bench::add_step<Recommender<MF<64>, SSM, None, Xavier, Adam, SharedNegatives<>>>(
      "step/SSM, 1024 shared", 4096, {.loss = {.negatives = 1024, .tau = 0.1}},
      6.0 * 4096 * 1024 * 64);
  bench::add_step<Recommender<MF<64>, DirectAU>>("step/DirectAU", 4096, {}, pairs);
  bench::add_step<Recommender<LightGCN<64, 3>, BPR>>("step/LightGCN, BPR", 16384);
  bench::add_epoch<Recommender<MF<64>, DirectAU>>("epoch/DirectAU", 4096);
  bench::add_epoch<Recommender<MF<64>, BPR>>("epoch/BPR", 16384);
  benchmark::RegisterBenchmark("ranking/top 20 of all items for all users", bench::ranking)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
