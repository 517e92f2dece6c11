// SPDX-License-Identifier: BSD-3-Clause
// The law of gradients: every loss through every backbone, against central differences.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

constexpr int draws = 50;
constexpr double h = 1e-5;
constexpr double bound = 1e-7;

/// A batch of a small problem, drawn anew for each seed: ids repeat, sizes and dimensions vary.
struct Problem {
  Interactions train;
  std::vector<Interaction> pairs;
  std::vector<Index> negatives;
  std::size_t dim;

  Problem(std::uint64_t seed, std::size_t negatives_per_pair) {
    const Random random(seed, Stream::synthetic);
    std::uint64_t at = 0;
    const auto below = [&](std::uint32_t n) { return random.below(at++, n); };
    const Index users = 2 + below(8), items = 2 + below(10);
    dim = 1 + below(9);
    const std::size_t size = 1 + below(12);
    for (std::size_t p = 0; p < size; ++p) pairs.push_back({below(users), below(items)});
    for (std::size_t q = 0; q < size * negatives_per_pair; ++q) negatives.push_back(below(items));
    train = Interactions(users, items, pairs);
  }
};

/// The loss of a batch as a function of both tables, and its gradient.
template <class Backbone, class Loss>
class Evaluation {
 public:
  Evaluation(const Problem& problem, Loss loss)
      : problem_(problem),
        backbone_(test::with_dim<Backbone>(problem.dim)),
        loss_(loss),
        builder_(problem.train.users(), problem.train.items()),
        batch_(builder_.build(problem.pairs, problem.negatives)),
        backbone_state_(make_state<double>(backbone_, context())),
        loss_state_(make_state<double>(loss_, context())) {}

  double operator()(const Matrix<double>& users, const Matrix<double>& items,
                    Matrix<double>* user_gradient = nullptr,
                    Matrix<double>* item_gradient = nullptr) {
    scratch_.reset();
    const std::size_t nu = batch_.user_side.rows.size(), ni = batch_.item_side.rows.size();
    const std::size_t dim = problem_.dim;
    const Embeddings<const double> tables{rows(users), rows(items)};
    const Embeddings<double> output{scratch_.take<double>(nu, dim), scratch_.take<double>(ni, dim)};
    const Embeddings<double> gradient{scratch_.take_zeros<double>(nu, dim),
                                      scratch_.take_zeros<double>(ni, dim)};
    backbone_.template forward<double>(tables, batch_, backbone_state_, output);
    const LossStep<double> step{batch_, output, gradient, scratch_};
    double value = 0;
    if constexpr (requires { loss_(step, loss_state_); }) {
      value = loss_(step, loss_state_);
    } else {
      value = loss_(step);
    }
    if (user_gradient != nullptr) {
      const auto tables_gradient =
          backbone_.template backward<double>(tables, batch_, backbone_state_, gradient, scratch_);
      scatter(tables_gradient.users, *user_gradient);
      scatter(tables_gradient.items, *item_gradient);
    }
    return value;
  }

 private:
  StateContext context() const { return {problem_.train, problem_.dim, 1}; }

  static void scatter(const TableGradient<double>& from, Matrix<double>& to) {
    for (std::size_t r = 0; r < to.shape(0); ++r) {
      if (from.of(r) != nullptr) std::copy_n(from.of(r), to.shape(1), rows(to)[r]);
    }
  }

  const Problem& problem_;
  Backbone backbone_;
  Loss loss_;
  BatchBuilder builder_;
  Batch batch_;
  state_t<Backbone, double> backbone_state_;
  state_t<Loss, double> loss_state_;
  Scratch scratch_;
};

/// The largest difference between the analytic gradient, spoiled by a factor, and central
/// differences, relative to the largest component.
template <class Backbone, class Loss>
double gradient_error(std::uint64_t seed, const Loss& loss, double spoil) {
  const Problem problem(seed, negatives_per_pair(loss));
  Evaluation<Backbone, Loss> evaluate(problem, loss);
  auto users = zeros<double>(problem.train.users(), problem.dim);
  auto items = zeros<double>(problem.train.items(), problem.dim);
  const Random random(seed, Stream::users);
  std::uint64_t at = 0;
  for (Matrix<double>* table : {&users, &items}) {
    for (std::size_t i = 0; i < table->size(); ++i) table->data()[i] = random.normal(at++);
  }
  auto user_gradient = zeros<double>(users.shape(0), problem.dim);
  auto item_gradient = zeros<double>(items.shape(0), problem.dim);
  evaluate(users, items, &user_gradient, &item_gradient);

  double largest = 0, difference = 0;
  const auto compare = [&](Matrix<double>& table, const Matrix<double>& gradient) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double kept = table.data()[i];
      table.data()[i] = kept + h;
      const double above = evaluate(users, items);
      table.data()[i] = kept - h;
      const double below = evaluate(users, items);
      table.data()[i] = kept;
      const double numeric = (above - below) / (2 * h);
      largest = std::max(largest, std::abs(numeric));
      difference = std::max(difference, std::abs(spoil * gradient.data()[i] - numeric));
    }
  };
  compare(users, user_gradient);
  compare(items, item_gradient);
  // In one dimension unit rows cannot turn, and gradients are zero: differences then stand alone.
  return difference / std::max(largest, 1e-3);
}

}  // namespace

TEST_CASE("every loss through every backbone has the gradient of its value") {
  test::for_each_policy(test::AllBackbones{}, [&]<class Backbone>(std::type_identity<Backbone>) {
    test::for_each_policy(test::AllLosses{}, [&]<class Loss>(std::type_identity<Loss>) {
      INFO(std::string(Backbone::name), " + ", std::string(Loss::name));
      int spoiled_and_caught = 0;
      for (std::uint64_t seed = 0; seed < draws; ++seed) {
        CAPTURE(seed);
        CHECK(gradient_error<Backbone>(seed, Loss{}, 1.0) <= bound);
        if (gradient_error<Backbone>(seed, Loss{}, 1.01) > bound) ++spoiled_and_caught;
      }
      // A gradient that is zero (one dimension, or a single pair) cannot be spoiled.
      CHECK(spoiled_and_caught >= draws * 3 / 4);
    });
  });
}

TEST_CASE("options of the losses keep their gradients") {
  for (std::uint64_t seed = 100; seed < 100 + draws; ++seed) {
    CAPTURE(seed);
    CHECK(gradient_error<MF<dynamic>>(seed, BPR{.negatives = 4}, 1.0) <= bound);
    CHECK(gradient_error<MF<dynamic>>(seed, DirectAU{.gamma = 5}, 1.0) <= bound);
  }
}
