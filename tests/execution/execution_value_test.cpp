// SPDX-License-Identifier: BSD-3-Clause
// An execution is a value: what it holds is passed on to every loop, and it need not have a
// default.
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <prism/experiment/trial.hpp>
#include <prism/prism.hpp>
#include <vector>

namespace test {

/// One thread and plain C++; counts its loops where it is told to.
struct Counted {
  using isa = prism::isa::scalar;

  explicit Counted(std::size_t* count) : loops(count) {}
  std::size_t* loops;
};

}  // namespace test

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_host<test::Counted> = true;

template <>
struct Backend<test::Counted> : Backend<Serial> {
  template <class Body>
  static void tasks(const test::Counted& exec, std::size_t n, const Body& body) {
    ++*exec.loops;
    Backend<Serial>::tasks(exec, n, body);
  }
};

}  // namespace prism::inline PRISM_ISA

using namespace prism;

namespace {

const Split& split_of_counts() {
  static const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 50, .interactions_per_user = 8}));
  return split;
}

using Model = Recommender<LightGCN<8, 2>, SSM, FullWD>;

FitOptions two_epochs() { return {.learning_rate = 0.01, .batch_size = 100, .epochs = 2}; }

/// The loops of a call; each execution counts its own.
template <class Call>
std::size_t loops_of(const Call& call) {
  std::size_t loops = 0;
  call(test::Counted(&loops));
  return loops;
}

}  // namespace

TEST_CASE("an execution without a default is passed on wherever something runs") {
  std::size_t of_model = 0;
  Model model(test::Counted(&of_model), split_of_counts().train);
  CHECK(of_model > 0);
  History history;
  CHECK(loops_of([&](const test::Counted& exec) {
          history = fit(exec, model, split_of_counts(), two_epochs(), Silent());
        }) > 0);
  CHECK(loops_of([&](const test::Counted& exec) {
          static_cast<void>(evaluate(exec, model, split_of_counts().test));
        }) > 0);
  CHECK(loops_of([&](const test::Counted& exec) {
          static_cast<void>(
              retrain(exec, model, split_of_counts(), history, two_epochs(), Silent()));
        }) > 0);
  CHECK(loops_of([&](const test::Counted& exec) {
          const auto scorer = model.scorer(exec);
          const ItemIndex index(exec, scorer);
          const std::size_t before = *exec.loops;
          const std::vector<Index> users{1, 2, 3};
          static_cast<void>(index.top_k(queries_of(scorer, users), 5));
          CHECK(*exec.loops > before);
        }) > 0);
}

TEST_CASE("a model without its type keeps the execution that it was made with") {
  std::size_t loops = 0;
  const auto any = make_any_recommender<Model>(test::Counted(&loops), split_of_counts().train);
  const auto counts = [&](const auto& call) {
    const std::size_t before = loops;
    call();
    return loops > before;
  };
  History history;
  CHECK(counts([&] { history = any->fit(split_of_counts(), two_epochs(), {}); }));
  CHECK(counts([&] { static_cast<void>(any->evaluate(split_of_counts().test)); }));
  const std::vector<Index> users{1, 2, 3};
  CHECK(counts([&] { static_cast<void>(any->recommend(users, 5)); }));
  CHECK(counts([&] { static_cast<void>(any->scorer(Ranking{.power = 0.5})); }));
  CHECK(
      counts([&] { static_cast<void>(any->retrained(split_of_counts(), history, two_epochs())); }));
  CHECK(counts([&] { any->session(split_of_counts(), two_epochs())->step(); }));
}

TEST_CASE("a trial runs on the execution that it is made for") {
  std::size_t loops = 0;
  const auto split = std::make_shared<const Split>(split_of_counts());
  const TrialSpec spec = trial_of<Model>(test::Counted(&loops), split, "", {}, two_epochs(), {});
  CHECK(loops == 0);
  const auto trial = spec.make({});
  trial->train(2, {});
  const std::size_t trained = loops;
  CHECK(trained > 0);
  static_cast<void>(trial->report());
  CHECK(loops > trained);
}
