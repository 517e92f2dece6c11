// SPDX-License-Identifier: BSD-3-Clause
// SLK's quantiles. Its value and gradient for given quantiles are golden cases.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "policies.hpp"
#include "support/evaluation.hpp"

using namespace prism;

namespace {

Matrix<double> table(Index size, std::size_t dim, Stream stream) {
  auto made = zeros<double>(size, dim);
  const Random random(3, stream);
  for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = standard_normal(random, i);
  return made;
}

double cosine(const Matrix<double>& users, const Matrix<double>& items, Index u, Index i) {
  const std::size_t dim = users.shape(1);
  const double* const user = rows(users)[u];
  const double* const item = rows(items)[i];
  return dot(user, item, dim) / norm(user, dim) / norm(item, dim);
}

/// Quantiles in the order of users, from a state that has none yet.
struct Quantiles {
  const Matrix<double>& users;
  const Matrix<double>& items;
  const Interactions& train;
  std::size_t outputs = 0;

  Quantiles(const Matrix<double>& of_users, const Matrix<double>& of_items,
            const Interactions& interactions)
      : users(of_users), items(of_items), train(interactions) {}

  std::vector<double> operator()(const SLK& loss, std::size_t epoch = 1) {
    auto state = make_state<double>(loss, StateContext{train, users.shape(1), 1});
    const EpochStart<double> start{
        epoch, train, Random(1, Stream::epoch_start, static_cast<std::uint32_t>(epoch)), [this] {
          ++outputs;
          return Output<double>(Embeddings<const double>{rows(users), rows(items)});
        }};
    loss.begin_epoch(start, state);
    return {state.beta.begin(), state.beta.end()};
  }
};

}  // namespace

TEST_CASE("SLK's quantile is the K-th largest cosine of the user's own items and all others") {
  constexpr Index user_count = 150, item_count = 40;  // users of several chunks
  const auto users = table(user_count, 5, Stream::users);
  auto items = table(item_count, 5, Stream::items);
  // Ties: every item occurs four times.
  for (Index i = 10; i < item_count; ++i) std::copy_n(rows(items)[i % 10], 5, rows(items)[i]);
  std::vector<Interaction> pairs;
  for (Index u = 0; u < user_count; ++u) {
    // Users with none, half, and all of the items.
    for (Index i = 0; i < (u % 3) * item_count / 2; ++i) pairs.push_back({u, i});
  }
  const Interactions train(user_count, item_count, pairs);
  for (const std::size_t k : {1U, 2U, 4U, 5U, 20U, 39U, 40U, 41U, 1000U}) {
    CAPTURE(k);
    const std::vector<double> beta =
        Quantiles(users, items, train)({.k = k, .quantile_negatives = item_count});
    for (Index u = 0; u < user_count; ++u) {
      std::vector<double> all(item_count);
      for (Index i = 0; i < item_count; ++i) all[i] = cosine(users, items, u, i);
      std::ranges::sort(all, std::greater<>());
      // The smallest of all if there are fewer than K.
      REQUIRE(beta[u] == doctest::Approx(all[std::min<std::size_t>(k, item_count) - 1]));
    }
  }
}

TEST_CASE("SLK's drawn items are others than the user's own, which all count") {
  constexpr Index item_count = 500, own = 6;
  const auto users = table(1, 4, Stream::users);
  auto items = table(item_count, 4, Stream::items);
  std::vector<Interaction> pairs;
  for (Index i = 0; i < own; ++i) {
    pairs.push_back({0, 80 * i});
    scale(rows(items)[80 * i], 0.5 + i, rows(users)[0], 4);  // a cosine of 1
  }
  const Interactions train(1, item_count, pairs);
  std::vector<double> others;
  for (Index i = 0; i < item_count; ++i) {
    if (!train.contains(0, i)) others.push_back(cosine(users, items, 0, i));
  }
  Quantiles quantiles(users, items, train);
  std::vector<double> drawn;
  for (std::size_t epoch = 1; epoch <= 30; ++epoch) {
    const SLK loss{.k = own, .quantile_negatives = 300, .refresh_epochs = 1};
    CHECK(quantiles(loss, epoch)[0] == doctest::Approx(1));
    // The next quantile is the largest of the drawn cosines.
    drawn.push_back(
        quantiles({.k = own + 1, .quantile_negatives = 3, .refresh_epochs = 1}, epoch)[0]);
    CHECK(std::ranges::any_of(
        others, [&](double c) { return doctest::Approx(c).epsilon(1e-12) == drawn.back(); }));
    CHECK(drawn.back() <= 0.999);
    // K = 10 exceeds the 6 + 3 items: the quantile is the smallest of them.
    const double smallest =
        quantiles({.k = 10, .quantile_negatives = 3, .refresh_epochs = 1}, epoch)[0];
    CHECK(smallest < drawn.back());
  }
  // Each refresh draws anew; the same epoch draws the same items.
  std::vector<double> different = drawn;
  std::ranges::sort(different);
  CHECK(std::unique(different.begin(), different.end()) - different.begin() > 20);
  CHECK(quantiles({.k = own + 1, .quantile_negatives = 3, .refresh_epochs = 1}, 4)[0] == drawn[3]);
}

TEST_CASE("SLK's drawn items estimate the quantile of all") {
  constexpr Index item_count = 2000;
  const auto users = table(200, 8, Stream::users), items = table(item_count, 8, Stream::items);
  const Interactions train(200, item_count, std::vector<Interaction>{{0, 0}});
  Quantiles quantiles(users, items, train);
  const std::vector<double> exact = quantiles({.k = 100, .quantile_negatives = item_count});
  const std::vector<double> drawn = quantiles({.k = 25, .quantile_negatives = 500});
  double mean = 0, largest = 0;
  for (std::size_t u = 0; u < 200; ++u) {
    mean += (drawn[u] - exact[u]) / 200;
    largest = std::max(largest, std::abs(drawn[u] - exact[u]));
  }
  CHECK(std::abs(mean) < 0.01);
  CHECK(largest < 0.15);
  CHECK(largest > 1e-3);
}

TEST_CASE("SLK draws other items for each user") {
  constexpr Index user_count = 8, item_count = 400;
  auto users = table(user_count, 4, Stream::users);
  for (Index u = 1; u < user_count; ++u) std::copy_n(rows(users)[0], 4, rows(users)[u]);
  const auto items = table(item_count, 4, Stream::items);
  const Interactions train(user_count, item_count, {});
  auto beta = Quantiles(users, items, train)({.k = 1, .quantile_negatives = 5});
  std::ranges::sort(beta);
  CHECK(std::ranges::adjacent_find(beta) == beta.end());
}

TEST_CASE("SLK computes quantiles before the first epoch, and then at its interval") {
  const auto users = table(3, 4, Stream::users), items = table(9, 4, Stream::items);
  const Interactions train(3, 9, std::vector<Interaction>{{0, 0}});
  Quantiles quantiles(users, items, train);
  for (std::size_t epoch = 1; epoch <= 11; ++epoch) {
    CAPTURE(epoch);
    const std::size_t before = quantiles.outputs;
    const std::vector<double> beta = quantiles({.refresh_epochs = 5}, epoch);
    const bool due = epoch == 1 || epoch == 6 || epoch == 11;
    CHECK(quantiles.outputs - before == (due ? 1 : 0));
    CHECK((beta[0] != 0) == due);
  }
}

TEST_CASE("SLK's quantile is a number where rows are not") {
  auto users = table(2, 4, Stream::users), items = table(9, 4, Stream::items);
  users(0, 1) = std::numeric_limits<double>::quiet_NaN();
  items(3, 2) = std::numeric_limits<double>::infinity();
  std::fill_n(rows(items)[4], 4, 0.0);
  const Interactions train(2, 9, std::vector<Interaction>{{0, 0}, {1, 3}});
  for (const std::size_t k : {1U, 5U, 9U}) {
    for (const double beta : Quantiles(users, items, train)({.k = k}))
      CHECK(detail::is_finite(beta));
  }
}

TEST_CASE("SLK trains a model better than its beginning") {
  const Split split = random_split(
      synthetic_interactions({.users = 300, .items = 200, .interactions_per_user = 20}),
      {.validation = 0.1, .test = 0.1, .seed = 2});
  using Model = Recommender<MF<16>, SLK, None, PRISM<1.0>, Adam, SharedNegatives<>>;
  Model model(split.train,
              {.loss = {.negatives = 100, .quantile_negatives = 50, .refresh_epochs = 5},
               .sampler = {.mask = NegativeMask::seen_items}});
  const double before = evaluate(model, split.test, {.exclude = {&split.validation}}).ndcg;
  fit(model, split, {.learning_rate = 0.05, .batch_size = 512, .epochs = 20}, Silent());
  const double after = evaluate(model, split.test, {.exclude = {&split.validation}}).ndcg;
  CHECK(after > before + 0.05);
}
