// SPDX-License-Identifier: BSD-3-Clause
// A user-defined initializer and a user-defined sampler, in a grid with the library's. A policy is
// a plain struct with a name: no base class, no macro, no registration.
#include <cmath>
#include <cstdio>
#include <prism/prism.hpp>
#include <span>
#include <string_view>

using namespace prism;

/// Xavier's directions; a row of popularity d has magnitude sqrt(d + 1) / 10.
struct RootPopularity {
  static constexpr std::string_view name = "RootPopularity";

  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
                  const Random& random) const {
    Xavier{}(exec, table, popularity, random);
    parallel_chunks(exec, table.size(), 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        normalise(table[r], table[r], table.dim());
        scale(table[r], std::sqrt(static_cast<T>(popularity[r] + 1)) / 10, table[r], table.dim());
      }
    });
  }
};
static_assert(InitializerPolicy<RootPopularity>);

/// The item of a training interaction drawn uniformly: items as often as they occur.
struct TrainingNegatives {
  static constexpr std::string_view name = "TrainingNegatives";

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    const Interactions& train = request.train.on_host();
    const Random random = request.random.from(request.first);
    parallel_chunks(exec, negatives.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        negatives[q] = train[random.uniform_int(q, static_cast<Index>(train.size()))].item;
      }
    });
  }
};
static_assert(SamplerPolicy<TrainingNegatives>);

int main() {
  const Split split = random_split(synthetic_interactions({.users = 1000, .items = 800}),
                                   {.validation = 0.1, .test = 0.1, .seed = 123});
  using ModelGrid = Grid<Types<MF<32>>, Types<BPR, SSM>, Types<None>, Types<Xavier, RootPopularity>,
                         Types<Adam>, Types<UniformNegatives, TrainingNegatives>>;
  std::printf("%zu models\n", size(ModelGrid{}));
  for_each_model<ModelGrid>([&]<class Model>() {
    Model model(split.train);
    const History history =
        fit(model, split, {.learning_rate = 3e-3, .batch_size = 1024, .epochs = 50}, Silent());
    const Report report = evaluate(model, split.test, {.exclude = {&split.validation}});
    std::printf("%-52s NDCG@20 %.5f, best epoch %zu\n", model.name().c_str(), report.ndcg,
                history.best_epoch);
  });
}
