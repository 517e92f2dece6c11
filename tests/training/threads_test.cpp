// SPDX-License-Identifier: BSD-3-Clause
// The law of threads: the same seed gives bit-identical tables for any number of them.
#include <doctest/doctest.h>
#include <tbb/task_arena.h>

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

std::vector<float> numbers(const Matrix<float>& table) { return {table.begin(), table.end()}; }

/// Large enough that every parallel loop of a step has at least three chunks.
const Split& split_of_many_chunks() {
  static const Split split = random_split(
      synthetic_interactions({.users = 4000, .items = 3500, .interactions_per_user = 3}),
      {.validation = 0.1, .test = 0.1, .seed = 1});
  return split;
}

/// Whether loops here run on more than one thread. On a busy machine the others may take a while.
bool several_threads() {
  for (int attempt = 0; attempt < (tbb::this_task_arena::max_concurrency() > 1 ? 200 : 1);
       ++attempt) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    parallel_tasks(par, 64, [&](std::size_t) {
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    if (seen.size() > 1) return true;
  }
  return false;
}

/// Tables and losses after a few steps on this many threads, even if there are fewer cores.
template <class Model>
auto trained(int threads, typename Model::Options options) {
  const ThreadLimit limit(static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    CHECK(several_threads() == (threads > 1));
    const Split& split = split_of_many_chunks();
    Model model(split.train, options);
    const History history =
        fit(model, split, {.learning_rate = 0.01, .batch_size = 3000, .epochs = 1}, Silent());
    return std::tuple(numbers(model.users()), numbers(model.items()), history.epochs[0].loss,
                      history.epochs[0].validation_ndcg);
  });
}

template <class Backbone, class Loss, class Sampler = UniformNegatives, class Optimizer = Adam,
          class Regularizer = BatchedWD>
void check_bit_identity(const Loss& loss = {}, const std::vector<int>& thread_counts = {2, 5},
                        std::size_t dim = 20) {
  using Model = Recommender<Backbone, Loss, Regularizer, PRISM<1.0>, Optimizer, Sampler>;
  const typename Model::Options options{
      .seed = 9, .backbone = test::with_dim<Backbone>(dim), .loss = loss};
  INFO(name_of(options), " ", std::string(Sampler::name));
  const auto alone = trained<Model>(1, options);
  for (const int threads : thread_counts) {
    CAPTURE(threads);
    CHECK(trained<Model>(threads, options) == alone);
  }
}

}  // namespace

TEST_CASE("the same seed gives the same tables to the last bit for any number of threads") {
  SUBCASE("every loss") {
    test::for_each_policy(all::Losses{}, []<class L>(std::type_identity<L>) {
      check_bit_identity<MF<dynamic>, L>(test::with_few_negatives<L>());
    });
  }
  SUBCASE("with enough dimensions for a processor's tile unit") {
    check_bit_identity<MF<dynamic>, DirectAU>({}, {2, 5}, 33);
    check_bit_identity<MF<dynamic>, SSM, SharedNegatives<>>({.negatives = 65}, {2, 5}, 33);
  }
  SUBCASE("every backbone") {
    test::for_each_policy(all::Backbones{}, []<class B>(std::type_identity<B>) {
      check_bit_identity<B, DirectAU>();
    });
    check_bit_identity<Dropout<MF<dynamic>>, DirectAU>();
  }
  SUBCASE("every penalty") {
    test::for_each_policy(all::Penalties{}, []<class P>(std::type_identity<P>) {
      check_bit_identity<MF<dynamic>, Penalized<BPR, P>>();
    });
  }
  SUBCASE("every sampler") {
    test::for_each_policy(all::Samplers{}, []<class S>(std::type_identity<S>) {
      check_bit_identity<MF<dynamic>, BPR, S>();
    });
    check_bit_identity<MF<dynamic>, SSM, AllInBatchNegatives>({.log_q = true});
  }
  SUBCASE("every optimizer") {
    test::for_each_policy(all::Optimizers{}, []<class O>(std::type_identity<O>) {
      check_bit_identity<MF<dynamic>, BPR, UniformNegatives, O>();
      check_bit_identity<MF<dynamic>, BPR, UniformNegatives, O, FullWD>();
    });
  }
  SUBCASE("1 to 16 threads") {
    std::vector<int> counts;
    for (int threads = 2; threads <= 16; ++threads) counts.push_back(threads);
    check_bit_identity<LightGCN<dynamic>, MAWU>({}, counts);
    check_bit_identity<MLP<dynamic>, SSM>({}, counts);
    check_bit_identity<MF<dynamic>, Penalized<MACR, IPL>>({}, counts);
  }
  SUBCASE("options with loops of their own") {
    check_bit_identity<LightGCN<dynamic>, SLK, SharedNegatives<>>(
        {.negatives = 40, .quantile_negatives = 30});
    check_bit_identity<MF<dynamic>, DirectAU>({.duplicates = true});
    check_bit_identity<MF<dynamic>, MAWU>({.broadcast = true});
  }
}
