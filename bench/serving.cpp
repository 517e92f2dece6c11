// SPDX-License-Identifier: BSD-3-Clause
// Queries of an ItemIndex: the latency of one query, and the throughput of batches, compared with
// scoring every item.
#include "machine.hpp"
#include "workload.hpp"

using namespace prism;
using bench::cores;

namespace {

/// The magnitudes of rows: those of normally distributed numbers, or as PRISM<1> gives them for a
/// long-tailed popularity.
enum class Magnitudes { alike, of_popularity };

Matrix<float> item_rows(std::size_t items, std::size_t dim, Magnitudes magnitudes) {
  Matrix<float> table = bench::random_rows(items, dim);
  if (magnitudes == Magnitudes::alike) return table;
  for (std::size_t i = 0; i < items; ++i) {
    float* const row = rows(table)[i];
    normalise(row, row, dim);
    const double popularity =
        20 * std::sqrt(static_cast<double>(items) / static_cast<double>(i + 1));
    scale(row, static_cast<float>(std::log(popularity + 2)), row, dim);
  }
  return table;
}

constexpr std::size_t query_count = 256;

Scorer<float> scorer_of(std::size_t items, std::size_t dim, Magnitudes magnitudes) {
  Matrix<float> users = bench::random_rows(query_count, dim, 7);
  return {Output<float>(std::move(users), item_rows(items, dim, magnitudes))};
}

/// One query after another, 10 items each.
template <Pruning Choice, Magnitudes Kind>
void one_query(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(2)));
  const Scorer<float> scorer = scorer_of(static_cast<std::size_t>(state.range(0)),
                                         static_cast<std::size_t>(state.range(1)), Kind);
  const ItemIndex index(scorer, {.pruning = Choice});
  Index user = 0;
  std::size_t scored = 0;
  for (auto _ : state) {
    const auto result = index.top_k(query_of(scorer, user), 10);
    scored += result.scored;
    user = (user + 1) % query_count;
  }
  using benchmark::Counter;
  state.counters["scored"] = Counter(static_cast<double>(scored), Counter::kAvgIterations);
}

/// Batches of 256 queries, 10 items each.
template <Pruning Choice, Magnitudes Kind>
void batches(benchmark::State& state) {
  const ThreadLimit limit(static_cast<std::size_t>(state.range(2)));
  const Scorer<float> scorer = scorer_of(static_cast<std::size_t>(state.range(0)),
                                         static_cast<std::size_t>(state.range(1)), Kind);
  const ItemIndex index(scorer, {.pruning = Choice});
  std::vector<Index> users(query_count);
  for (Index user = 0; user < query_count; ++user) users[user] = user;
  const auto queries = queries_of(scorer, std::span(users));
  for (auto _ : state) benchmark::DoNotOptimize(index.top_k(queries, 10).data());
  using benchmark::Counter;
  state.counters["queries/s"] =
      Counter(static_cast<double>(query_count), Counter::kIsIterationInvariantRate);
}

void add(const char* name, void (*run)(benchmark::State&)) {
  benchmark::RegisterBenchmark(name, run)
      ->ArgNames({"items", "d", "threads"})
      ->ArgsProduct({{40'000, 1'000'000}, {64, 128}, {1, cores}})
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  add("one query", one_query<Pruning::automatic, Magnitudes::alike>);
  add("one query, every item scored", one_query<Pruning::never, Magnitudes::alike>);
  add("one query, magnitudes of popularity",
      one_query<Pruning::automatic, Magnitudes::of_popularity>);
  add("batch", batches<Pruning::automatic, Magnitudes::alike>);
  add("batch, every item scored", batches<Pruning::never, Magnitudes::alike>);
  add("batch, magnitudes of popularity", batches<Pruning::automatic, Magnitudes::of_popularity>);
  return bench::run_benchmarks(argc, argv);
}
