// SPDX-License-Identifier: BSD-3-Clause
// Training steps and epochs at Gowalla's size: 29,858 users x 40,981 items, 64 dimensions.
#include "machine.hpp"
#include "workload.hpp"

using namespace prism;
using bench::cores;

namespace {

/// The fewest bytes that a step moves: weights and moments, read and written, of each active row,
/// or with DenseAdam of every row.
template <class Model>
double row_bytes(const Model& model, bench::EpochBatches<Model>& batches, Trainer<Model>& trainer) {
  std::vector<bool> user(model.train().users()), item(model.train().items());
  const auto pairs = batches.next();
  for (const Interaction& pair : pairs) user[pair.user] = item[pair.item] = true;
  const Random random(3, Stream::negatives);
  for (const Index negative : trainer.sample(pairs, random, 0).items) item[negative] = true;
  constexpr bool dense = std::is_same_v<typename Model::optimizer_type, DenseAdam>;
  const std::size_t reached = dense ? user.size() + item.size()
                                    : static_cast<std::size_t>(std::ranges::count(user, true) +
                                                               std::ranges::count(item, true));
  // PartialRowWiseAdam has one second moment per row.
  constexpr bool row_wise = std::is_same_v<typename Model::optimizer_type, PartialRowWiseAdam>;
  return (row_wise ? 4.0 : 6.0) * sizeof(float) * 64 * static_cast<double>(reached);
}

/// Training steps on an epoch's batches.
template <class Loss, class Optimizer, class Regularizer>
void step(benchmark::State& state, Loss loss) {
  const auto threads = static_cast<std::size_t>(state.range(1));
  const ThreadLimit limit(threads);
  using Model = Recommender<MF<64>, Loss, Regularizer, Xavier, Optimizer>;
  Model model(bench::gowalla_sized(), {.loss = loss});
  Trainer trainer(model);
  bench::EpochBatches<Model> batches(model, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(bench::take_step(trainer, batches));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  bench::count_bytes(state, row_bytes(model, batches, trainer), threads);
}

/// The least memory traffic of a step with each pair's own negatives: for the distinct rows of each
/// batch, weights and two moments are read and written back.
void gather_and_scatter(benchmark::State& state) {
  const auto batch_size = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  const ThreadLimit limit(threads);
  constexpr std::size_t dim = 64, ahead = 12;
  using Model = Recommender<MF<dim>, BPR, None, Xavier, Adam>;
  const Interactions& train = bench::gowalla_sized();
  Model model(train, {.loss = {.negatives = n}});
  Trainer trainer(model);
  bench::EpochBatches<Model> batches(model, batch_size);
  BatchBuilder builder(train);
  const auto rows_of = [](std::size_t size) {
    return std::pair(zeros<float>(size, dim), zeros<float>(size, 2 * dim));
  };
  auto users = rows_of(train.users()), items = rows_of(train.items());
  const Random random(3, Stream::negatives);
  double reached = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const auto pairs = batches.next();
    const Batch batch = builder.build(par, pairs, trainer.sample(pairs, random, batches.before()));
    reached += static_cast<double>(batch.user_side.num_active + batch.item_side.num_active);
    state.ResumeTiming();
    for (const auto& [table, side] :
         {std::pair(&users, &batch.user_side), {&items, &batch.item_side}}) {
      const Rows<float> weights = rows(table->first), moments = rows(table->second);
      const std::span<const Index> listed = side->unique_rows;
      parallel_chunks(par, listed.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          if (k + ahead < listed.size()) {
            prefetch(weights[listed[k + ahead]], dim);
            prefetch(moments[listed[k + ahead]], 2 * dim);
          }
          scale(weights[listed[k]], 0.5F, weights[listed[k]], dim);
          scale(moments[listed[k]], 0.5F, moments[listed[k]], 2 * dim);
        }
      });
    }
  }
  const double row_count = reached / static_cast<double>(state.iterations());
  bench::count_bytes(state, 6.0 * sizeof(float) * dim * row_count, threads);
}

/// A step with negatives that all pairs share. Operations: three products of users, negatives and
/// columns, at two operations each, for the batch's distinct users.
void shared_step(benchmark::State& state) {
  const auto pairs = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  const auto threads = static_cast<std::size_t>(state.range(2));
  const ThreadLimit limit(threads);
  using Model = Recommender<MF<64>, SSM, None, Xavier, Adam, SharedNegatives<>>;
  Model model(bench::gowalla_sized(), {.loss = {.negatives = n, .tau = 0.1}});
  Trainer trainer(model);
  bench::EpochBatches<Model> batches(model, pairs);
  std::vector<bool> user(model.train().users());
  for (const Interaction& pair : batches.next()) user[pair.user] = true;
  const auto users = static_cast<double>(std::ranges::count(user, true));
  for (auto _ : state) benchmark::DoNotOptimize(bench::take_step(trainer, batches));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  bench::count_operations(state, 6 * users * static_cast<double>(n) * 64, threads);
}

/// Epochs with everything that fit() does in one, except validation.
template <class Loss>
void epoch(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(0)));
  Recommender<MF<64>, Loss> model(bench::gowalla_sized());
  const Split split{model.train(), Interactions(), Interactions()};
  for (auto _ : state) fit(model, split, {.epochs = 1}, Silent());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(split.train.size()));
}

/// Adam with growing tables and a constant batch: 4096 pairs and as many negatives.
template <class Optimizer, class Regularizer>
void adam_of_rows(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(cores));
  const auto side = static_cast<Index>(state.range(0) / 2);
  using Model = Recommender<MF<64>, BPR, Regularizer, Xavier, Optimizer>;
  Model model(bench::interactions_of(side, side, 1 << 20));
  Trainer trainer(model);
  bench::EpochBatches<Model> batches(model, 4096);
  // The deferred steps of a row have no closed form if its last step was among the first, in which
  // v's bias correction changes quickly.
  for (int warm = 0; warm < 256; ++warm) bench::take_step(trainer, batches);
  for (auto _ : state) benchmark::DoNotOptimize(bench::take_step(trainer, batches));
}

/// About the least that a step of adam_of_rows reads: weights and moments of three rows per pair,
/// at random indices. The time grows with the table because of TLB misses.
void rows_at_random(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(cores));
  const auto size = static_cast<Index>(state.range(0));
  constexpr std::size_t dim = 64, row_count = 3 * 4096, ahead = 12;
  Matrix<float> weights = zeros<float>(size, dim), moments = zeros<float>(size, 2 * dim);
  const Random random(4, Stream::synthetic);
  std::uint64_t drawn = 0;
  std::vector<Index> indices(row_count);
  for (auto _ : state) {
    state.PauseTiming();
    for (Index& row : indices) row = random.uniform_int(drawn++, size);
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        parallel_sum(par, row_count, 256, [&](std::size_t begin, std::size_t end) {
          float sum = 0;
          for (std::size_t k = begin; k < end; ++k) {
            if (k + ahead < row_count) {
              prefetch(rows(weights)[indices[k + ahead]], dim);
              prefetch(rows(moments)[indices[k + ahead]], 2 * dim);
            }
            const float* const weight = rows(weights)[indices[k]];
            const float* const moment = rows(moments)[indices[k]];
            sum += dot(weight, weight, dim) + dot(moment, moment, 2 * dim);
          }
          return static_cast<double>(sum);
        }));
  }
  bench::count_bytes(state, 3.0 * sizeof(float) * dim * row_count, static_cast<std::size_t>(cores));
}

/// LightGCN's forward pass, three layers; the backward pass is the same products. Each propagation
/// of a side reads one row and one weight for each end of an edge, and writes a row and adds it to
/// the sum. Many of these reads are from a cache, so that the bytes per second may exceed the
/// memory's.
void propagation(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(0));
  const ThreadLimit limit(threads);
  constexpr std::size_t dim = 64, layers = 3;
  const Interactions& train = bench::gowalla_sized();
  const LightGCN<dim, layers> backbone;
  const Matrix<float> users = bench::random_rows(train.users(), dim);
  const Matrix<float> items = bench::random_rows(train.items(), dim);
  const auto weights = make_state<float>(backbone, StateContext{train, dim, 1});
  for (auto _ : state) {
    const auto output = backbone.output<float>(par, {rows(users), rows(items)}, train, weights);
    benchmark::DoNotOptimize(output.users().data());
  }
  const double edges = 2.0 * static_cast<double>(train.size());
  const double all_rows = static_cast<double>(train.users()) + static_cast<double>(train.items());
  const double row = dim * sizeof(float);
  bench::count_bytes(state,
                     layers * (edges * (row + sizeof(Index) + sizeof(float)) + all_rows * 3 * row),
                     threads);
}

template <class Loss, class Optimizer = Adam, class Regularizer = None>
void add_step(const char* name, Loss loss, std::vector<std::int64_t> batch_sizes) {
  benchmark::RegisterBenchmark(
      name, [loss](benchmark::State& state) { step<Loss, Optimizer, Regularizer>(state, loss); })
      ->ArgNames({"batch", "threads"})
      ->ArgsProduct({batch_sizes, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

template <class Optimizer, class Regularizer>
void add_rows(const char* name, std::vector<std::int64_t> sizes) {
  benchmark::RegisterBenchmark(name, adam_of_rows<Optimizer, Regularizer>)
      ->ArgName("rows")
      ->ArgsProduct({sizes})
      ->Unit(benchmark::kMillisecond)
      ->Iterations(256)
      ->UseRealTime();
}

template <class Loss>
void add_epoch(const char* name) {
  benchmark::RegisterBenchmark(name, epoch<Loss>)
      ->ArgName("threads")
      ->ArgsProduct({{1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  add_step("step: BPR, 1 negative", BPR{.negatives = 1}, {4096, 16384});
  add_step("step: BPR, 10 negatives", BPR{.negatives = 10}, {16384});
  add_step<BPR, PartialRowWiseAdam>("step: BPR, 1 negative, PartialRowWiseAdam",
                                    BPR{.negatives = 1}, {4096, 16384});
  add_step("step: SSM, 1 negative", SSM{.negatives = 1}, {16384});
  add_step("step: SSM, 10 negatives", SSM{.negatives = 10}, {4096, 16384});
  benchmark::RegisterBenchmark("gather and scatter", gather_and_scatter)
      ->ArgNames({"batch", "negatives", "threads"})
      ->ArgsProduct({{4096, 16384}, {1, 10}, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  benchmark::RegisterBenchmark("step: SSM, shared negatives", shared_step)
      ->ArgNames({"batch", "negatives", "threads"})
      ->ArgsProduct({{4096}, {1024, 4096}, {1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  add_step("step: DirectAU", DirectAU{}, {4096});
  add_step<DirectAU, DenseAdam>("step: DirectAU, DenseAdam", DirectAU{}, {4096});
  add_step("step: MAWU", MAWU{}, {4096});
  add_step("step: MACR", MACR{}, {4096});
  benchmark::RegisterBenchmark("propagation: LightGCN<64, 3>", propagation)
      ->ArgName("threads")
      ->ArgsProduct({{1, cores}})
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  add_rows<Adam, None>("Adam + None", {100'000, 1'000'000, 10'000'000});
  add_rows<Adam, BatchedWD>("Adam + BatchedWD", {100'000, 1'000'000, 10'000'000});
  add_rows<Adam, FullWD>("Adam + FullWD", {100'000, 1'000'000, 10'000'000});
  add_rows<PartialRowWiseAdam, None>("PartialRowWiseAdam + None", {100'000, 1'000'000, 10'000'000});
  add_rows<PartialRowWiseAdam, FullWD>("PartialRowWiseAdam + FullWD",
                                       {100'000, 1'000'000, 10'000'000});
  benchmark::RegisterBenchmark("rows at random", rows_at_random)
      ->ArgName("rows")
      ->Arg(100'000)
      ->Arg(1'000'000)
      ->Arg(10'000'000)
      ->Iterations(256)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  add_rows<DenseAdam, None>("DenseAdam + None", {100'000, 1'000'000});
  add_epoch<BPR>("epoch: BPR");
  add_epoch<SSM>("epoch: SSM");
  add_epoch<DirectAU>("epoch: DirectAU");
  return bench::run_benchmarks(argc, argv);
}
