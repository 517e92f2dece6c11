// SPDX-License-Identifier: BSD-3-Clause
// Values that no golden test covers, compared with their definitions as plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include "policies.hpp"
#include "support/evaluation.hpp"

using namespace prism;

namespace {

constexpr std::size_t dim = 5;
constexpr Index user_count = 7, item_count = 9;

/// A batch and more training interactions; users and items repeat, and some items occur only as
/// negatives.
struct World {
  std::vector<Interaction> pairs{{0, 1}, {3, 1}, {0, 4}, {6, 2}, {3, 4}, {0, 1}};
  std::vector<Interaction> train;
  Matrix<double> users, items;

  World()
      : train(pairs), users(zeros<double>(user_count, dim)), items(zeros<double>(item_count, dim)) {
    for (const Interaction& more : {Interaction{1, 1}, {2, 8}, {5, 5}, {6, 5}, {4, 4}, {1, 7}}) {
      train.push_back(more);
    }
    const Random random(3, Stream::synthetic);
    std::uint64_t at = 0;
    for (Matrix<double>* table : {&users, &items}) {
      for (double& value : *table) value = standard_normal(random, at++);
    }
  }

  [[nodiscard]] Interactions interactions() const { return {user_count, item_count, train}; }

  [[nodiscard]] std::vector<Index> negatives(std::size_t a_pair) const {
    const Random random(4, Stream::negatives);
    std::vector<Index> drawn(pairs.size() * a_pair);
    for (std::size_t q = 0; q < drawn.size(); ++q) drawn[q] = random.uniform_int(q, item_count);
    return drawn;
  }

  template <class Backbone = MF<dim>, class Loss>
  [[nodiscard]] double value(const Loss& loss) const {
    const std::vector<Index> drawn = negatives(loss_traits(loss).negatives);
    test::Evaluation<double, Backbone, Loss> evaluate(Backbone{}, loss, interactions(), pairs,
                                                      drawn);
    return evaluate(users, items);
  }

  /// The same with every parameter at 0.25, whichever part of a loss it belongs to.
  template <class Loss>
  [[nodiscard]] double value_at_fixed_parameters(const Loss& loss) const {
    const std::vector<Index> drawn = negatives(loss_traits(loss).negatives);
    test::Evaluation<double, MF<dim>, Loss> evaluate(MF<dim>{}, loss, interactions(), pairs, drawn);
    for (const ParameterView<double>& parameter : evaluate.parameters()) {
      std::fill_n(parameter.rows.data(), parameter.rows.num_elements(), 0.25);
    }
    return evaluate(users, items);
  }

  [[nodiscard]] double score(Index user, Index item) const {
    return dot(rows(users)[user], rows(items)[item], dim);
  }
};

double cosine(const double* a, const double* b) {
  return dot(a, b, dim) / (norm(a, dim) * norm(b, dim));
}

/// log mean exp(-2 |a^ - b^|^2) over pairs a < b of unit rows.
double uniformity(const Matrix<double>& table, const std::vector<Index>& ids) {
  double sum = 0, count = 0;
  for (std::size_t a = 0; a < ids.size(); ++a) {
    for (std::size_t b = a + 1; b < ids.size(); ++b, ++count) {
      sum += std::exp(-2 * (2 - 2 * cosine(rows(table)[ids[a]], rows(table)[ids[b]])));
    }
  }
  return std::log(sum / count);
}

double alignment(const World& world) {
  double sum = 0;
  for (const Interaction& pair : world.pairs) {
    sum += 2 - 2 * cosine(rows(world.users)[pair.user], rows(world.items)[pair.item]);
  }
  return sum / static_cast<double>(world.pairs.size());
}

/// The sample standard deviation.
double deviation(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double x : values) mean += x / count;
  for (const double x : values) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / (count - 1));
}

}  // namespace

TEST_CASE("DirectAU's uniformity is over distinct rows, or over the rows of all pairs") {
  const World world;
  std::vector<Index> users, items;
  for (const Interaction& pair : world.pairs) {
    users.push_back(pair.user);
    items.push_back(pair.item);
  }
  CHECK(world.value(DirectAU{.gamma = 3, .duplicates = true}) ==
        doctest::Approx(alignment(world) +
                        1.5 * (uniformity(world.users, users) + uniformity(world.items, items)))
            .epsilon(1e-12));
  CHECK(world.value(DirectAU{.gamma = 3}) ==
        doctest::Approx(alignment(world) + 1.5 * (uniformity(world.users, {0, 3, 6}) +
                                                  uniformity(world.items, {1, 4, 2})))
            .epsilon(1e-12));
}

TEST_CASE("MAWU's broadcast alignment combines every angle with every margin") {
  const World world;
  const MAWU loss{.gamma1 = 0, .gamma2 = 0, .broadcast = true};
  test::Evaluation<double, MF<dim>, MAWU> evaluate(MF<dim>{}, loss, world.interactions(),
                                                   world.pairs, {});
  auto& state = evaluate.loss_state();
  // Margins large enough that some of the sums are clipped at pi.
  for (double& m : state.users) m = -3 + m;
  double sum = 0;
  for (const Interaction& p : world.pairs) {
    const double s = state.users(p.user, 0) + state.items(p.item, 0);
    const double margin = 1 - 1 / (1 + std::exp(-s));
    for (const Interaction& q : world.pairs) {
      const double angle = std::acos(cosine(rows(world.users)[q.user], rows(world.items)[q.item]));
      sum -= std::cos(std::clamp(angle + margin, 0.0, std::numbers::pi));
    }
  }
  const auto n = static_cast<double>(world.pairs.size());
  CHECK(evaluate(world.users, world.items) == doctest::Approx(sum / (n * n)).epsilon(1e-12));

  Matrix<double> diverged = world.users;
  diverged(3, 0) = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(evaluate(diverged, world.items)));
}

TEST_CASE("MACR with several negatives averages over them") {
  const World world;
  const MACR loss{.negatives = 3, .alpha = 0.5, .beta = 0.25};
  const std::vector<Index> negatives = world.negatives(3);
  test::Evaluation<double, MF<dim>, MACR> evaluate(MF<dim>{}, loss, world.interactions(),
                                                   world.pairs, negatives);
  const double* const user_head = evaluate.loss_state().user_head.data();
  const double* const item_head = evaluate.loss_state().item_head.data();
  const auto log_loss = [](double x, bool positive) {
    return std::log1p(std::exp(positive ? -x : x));
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto n = static_cast<double>(world.pairs.size());
  double expected = 0;
  for (std::size_t p = 0; p < world.pairs.size(); ++p) {
    const Index user = world.pairs[p].user;
    const double of_user = dot(rows(world.users)[user], user_head, dim);
    const auto part = [&](Index item, bool positive) {
      const double of_item = dot(rows(world.items)[item], item_head, dim);
      const double score = world.score(user, item) * sigmoid(of_item) * sigmoid(of_user);
      return log_loss(score, positive) + 0.5 * log_loss(of_item, positive) +
             0.25 * log_loss(of_user, positive);
    };
    expected += part(world.pairs[p].item, true) / n;
    for (std::size_t j = 0; j < 3; ++j) expected += part(negatives[3 * p + j], false) / (3 * n);
  }
  CHECK(evaluate(world.users, world.items) == doctest::Approx(expected).epsilon(1e-12));
}

TEST_CASE("MACR's heads are initially Xavier normal") {
  const Interactions train(1, 1, std::vector<Interaction>{{0, 0}});
  const auto heads = make_state<double>(MACR{}, StateContext{train, 4000, 5});
  for (const Matrix<double>* head : {&heads.user_head, &heads.item_head}) {
    double squares = 0;
    for (const double w : *head) squares += w * w;
    CHECK(squares / 4000 == doctest::Approx(2.0 / 4001).epsilon(0.1));
  }
}

TEST_CASE("IPL's sums are over all training interactions, or over the batch's pairs") {
  const World world;
  const Interactions train = world.interactions();
  /// The sample standard deviation of c_i / d_i^(2 - gamma) over items with a training interaction.
  const auto by_hand = [&](const std::vector<Interaction>& exposed) {
    std::vector<double> ratio;
    for (Index item = 0; item < item_count; ++item) {
      if (train.item_degree()[item] == 0) continue;
      double sum = 0;
      for (const Interaction& pair : exposed) {
        if (pair.item == item) sum += 1 / (1 + std::exp(-world.score(pair.user, item)));
      }
      ratio.push_back(sum / std::pow(train.item_degree()[item], 2 - 1.5));
    }
    return deviation(ratio);
  };
  std::vector<Interaction> all;
  for (std::size_t k = 0; k < train.size(); ++k) all.push_back(train[k]);
  CHECK(world.value(IPL{.weight = 3, .gamma = 1.5}) ==
        doctest::Approx(3 * by_hand(all)).epsilon(1e-12));
  CHECK(world.value(IPL{.weight = 3, .gamma = 1.5, .sums = IPLSums::batch}) ==
        doctest::Approx(3 * by_hand(world.pairs)).epsilon(1e-12));
}

TEST_CASE("IPL's sum over a popular item's interactions does not lose digits in float") {
  constexpr Index many = 100'000;
  std::vector<Interaction> train;
  for (Index user = 0; user < many; ++user) train.push_back({user, 0});
  train.push_back({0, 1});
  const auto value = [&]<class T>(T score) {
    Matrix<T> users = zeros<T>(many, 2), items = zeros<T>(2, 2);
    for (Index user = 0; user < many; ++user) users(user, 0) = score;
    items(0, 0) = items(1, 0) = 1;
    test::Evaluation<T, MF<2>, IPL> evaluate(MF<2>{}, IPL{.weight = 1, .gamma = 1.5},
                                             {many, 2, train}, std::vector{train[0]}, {});
    return evaluate(users, items);
  };
  CHECK(value(0.004F) == doctest::Approx(value(0.004)).epsilon(1e-6));
}

TEST_CASE("IPL's unsorted groups have other items' scores, of positives and negatives") {
  const World world;
  const Interactions train = world.interactions();
  // The list of scores: the pairs, then each pair's first negative, then each pair's second.
  const std::vector<Index> drawn = world.negatives(2);
  std::vector<double> scores;
  std::vector<Index> items;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t p = 0; p < world.pairs.size(); ++p) {
      items.push_back(j == 0 ? world.pairs[p].item : drawn[2 * p + j - 1]);
      scores.push_back(1 / (1 + std::exp(-world.score(world.pairs[p].user, items.back()))));
    }
  }
  const auto by_hand = [&](std::size_t occurrences) {
    std::vector<double> ratio;
    std::size_t next = 0;
    for (Index item = 0; item < item_count; ++item) {
      double sum = 0;
      for (auto n = std::count(items.begin(),
                               items.begin() + static_cast<std::ptrdiff_t>(occurrences), item);
           n > 0; --n) {
        sum += scores[next++];
      }
      const bool in_batch = sum > 0, popular = train.item_degree()[item] > 0;
      if (in_batch && popular) ratio.push_back(sum / std::sqrt(train.item_degree()[item]));
    }
    return deviation(ratio);
  };
  const IPL unsorted{.weight = 3, .gamma = 1.5, .sums = IPLSums::batch_unsorted};
  CHECK(world.value(unsorted) == doctest::Approx(3 * by_hand(6)).epsilon(1e-12));
  const BPR bpr{.negatives = 2};
  CHECK(world.value(Penalized<BPR, IPL>{bpr, unsorted}) - world.value(bpr) ==
        doctest::Approx(3 * by_hand(18)).epsilon(1e-12));
  // Also anywhere within a sum, and chosen at run time.
  CHECK(world.value(Penalized<BPR, Penalized<ReSN, OnePenalty<IPL, ReSN>>>{
            bpr, {{.weight = 0}, unsorted}}) -
            world.value(bpr) ==
        doctest::Approx(3 * by_hand(18)).epsilon(1e-12));
}

TEST_CASE("the value of Penalized is the sum of its two parts") {
  const World world;
  const auto adds_up = [&](const auto& loss, const auto& penalty) {
    INFO(label(loss), " & ", label(penalty));
    using Both =
        Penalized<std::remove_cvref_t<decltype(loss)>, std::remove_cvref_t<decltype(penalty)>>;
    CHECK(world.value_at_fixed_parameters(Both{loss, penalty}) ==
          doctest::Approx(world.value_at_fixed_parameters(loss) +
                          world.value_at_fixed_parameters(penalty))
              .epsilon(1e-12));
  };
  adds_up(BPR{.negatives = 3}, DirectAU{});
  adds_up(BPR{.negatives = 3}, DirectAU{.duplicates = true});
  adds_up(SSM{.negatives = 4}, MAWU{});
  adds_up(BPR{.negatives = 3}, ReSN{.weight = 0.5});
  adds_up(BPR{.negatives = 3}, IPL{});
  adds_up(SSM{}, Penalized<IPL, ReSN>{});
  adds_up(MACR{.negatives = 2}, Cosine{});
}

TEST_CASE("a loss and a penalty draw their parameters from sequences of their own") {
  const World world;
  const Interactions train = world.interactions();
  const auto state =
      make_state<double>(Penalized<MAWU, MAWU>{}, StateContext{train, dim, 7, Stream::loss});
  CHECK(state.loss.users != state.penalty.users);
  CHECK(state.loss.users ==
        make_state<double>(MAWU{}, StateContext{train, dim, 7, Stream::loss}).users);
}

TEST_CASE("LightGCN's output is the mean of its layers, for any number of layers") {
  const World world;
  const Interactions train = world.interactions();
  constexpr std::size_t all = user_count + item_count;
  const auto adjacent = [&](std::size_t a, std::size_t b) {
    if ((a < user_count) == (b < user_count)) return 0.0;
    const auto user = static_cast<Index>(std::min(a, b)),
               item = static_cast<Index>(std::max(a, b) - user_count);
    const double degrees =
        static_cast<double>(train.user_degree()[user]) * train.item_degree()[item];
    return train.contains(user, item) ? 1 / std::sqrt(degrees) : 0.0;
  };
  const auto check = [&]<std::size_t Layers>(std::integral_constant<std::size_t, Layers>) {
    CAPTURE(Layers);
    std::vector<std::vector<double>> layer(all, std::vector<double>(dim));
    for (std::size_t r = 0; r < all; ++r) {
      const double* const row =
          r < user_count ? rows(world.users)[r] : rows(world.items)[r - user_count];
      layer[r].assign(row, row + dim);
    }
    auto mean = layer;
    for (std::size_t l = 1; l <= Layers; ++l) {
      std::vector<std::vector<double>> next(all, std::vector<double>(dim));
      for (std::size_t a = 0; a < all; ++a) {
        for (std::size_t b = 0; b < all; ++b) {
          for (std::size_t c = 0; c < dim; ++c) next[a][c] += adjacent(a, b) * layer[b][c];
        }
      }
      layer = next;
      for (std::size_t r = 0; r < all; ++r) {
        for (std::size_t c = 0; c < dim; ++c) mean[r][c] += layer[r][c];
      }
    }
    const LightGCN<dim, Layers> backbone;
    const auto state = make_state<double>(backbone, StateContext{train, dim, 1});
    const Output<double> output =
        backbone.template output<double>(par, {rows(world.users), rows(world.items)}, train, state);
    for (std::size_t r = 0; r < all; ++r) {
      const double* const row = r < user_count ? output.users()[r] : output.items()[r - user_count];
      for (std::size_t c = 0; c < dim; ++c) {
        CHECK(row[c] == doctest::Approx(mean[r][c] / (Layers + 1)).epsilon(1e-12));
      }
    }
  };
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 2>{});
  check(std::integral_constant<std::size_t, 4>{});
}
