// SPDX-License-Identifier: BSD-3-Clause
// Shared negatives against the same list given to each pair, and masks against a loop.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "policies.hpp"
#include "support/emulated_tiles.hpp"
#include "support/evaluation.hpp"
#include "support/nan_max.hpp"

using namespace prism;

namespace {

struct Problem {
  Interactions train;
  std::vector<Interaction> pairs;
  std::vector<Index> negatives;
};

/// Some users have several pairs, and some negatives repeat.
Problem problem(Index users, Index items, std::size_t pairs, std::size_t negatives) {
  Problem result;
  const Random random(users + negatives, Stream::synthetic);
  std::uint64_t draw = 0;
  for (std::size_t p = 0; p < pairs; ++p) {
    const Index user = random.uniform_int(draw++, users), item = random.uniform_int(draw++, items);
    result.pairs.push_back({user, item});
  }
  for (std::size_t q = 0; q < negatives; ++q) {
    result.negatives.push_back(random.uniform_int(draw++, items));
  }
  std::vector<Interaction> all = result.pairs;
  for (Index k = 0; k < users; ++k) all.push_back({k, random.uniform_int(draw++, items)});
  result.train = Interactions(users, items, all);
  return result;
}

template <class T>
Matrix<T> table(std::size_t size, std::size_t dim, Stream stream) {
  auto rows = zeros<T>(size, dim);
  const Random random(3, stream);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows.data()[i] = static_cast<T>(standard_normal(random, i));
  return rows;
}

template <class T>
double difference(const Matrix<T>& a, const Matrix<T>& b) {
  double result = 0, largest_of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
    result = test::nan_max(result, std::abs(x - y));
    largest_of_b = std::max(largest_of_b, std::abs(y));
  }
  return result / std::max(largest_of_b, 1e-3);
}

/// The loss with the list for all pairs and with a copy of it for each.
template <class T, class Isa, class Loss>
void check_shared_equals_own(const Loss& loss, Index users, std::size_t pairs, std::size_t n,
                             std::size_t dim) {
  CAPTURE(users);
  CAPTURE(pairs);
  CAPTURE(n);
  CAPTURE(dim);
  const Problem given = problem(users, 50, pairs, n);
  std::vector<Index> own;
  for (std::size_t p = 0; p < pairs; ++p) {
    own.insert(own.end(), given.negatives.begin(), given.negatives.end());
  }
  const auto users_table = table<T>(users, dim, Stream::users);
  const auto items_table = table<T>(50, dim, Stream::items);
  using Evaluation = test::Evaluation<T, MF<dynamic>, Loss, Host<Isa>>;
  test::Gradients<T> shared_gradients, own_gradients;
  const double shared = Evaluation(MF<dynamic>(dim), loss, given.train, given.pairs,
                                   BatchNegatives(given.negatives, NegativeMask::none))(
      users_table, items_table, &shared_gradients);
  const double separate = Evaluation(MF<dynamic>(dim), loss, given.train, given.pairs,
                                     BatchNegatives(own))(users_table, items_table, &own_gradients);
  const double bound = std::is_same_v<T, double> ? 1e-12 : 2e-5;
  CHECK(std::abs(shared - separate) <= bound * std::max(1.0, std::abs(separate)));
  CHECK(difference(shared_gradients.users, own_gradients.users) <= bound);
  CHECK(difference(shared_gradients.items, own_gradients.items) <= bound);
}

template <class T, class Isa>
void check_sizes() {
  for (const std::size_t n : {1U, 2U, 63U, 64U, 65U, 130U}) {
    const BPR bpr{.negatives = n};
    check_shared_equals_own<T, Isa>(bpr, 5, 12, n, 9);
    check_shared_equals_own<T, Isa>(SSM{.negatives = n}, 70, 100, n, 33);
  }
  // More blocks of users than groups.
  check_shared_equals_own<T, Isa>(SSM{.negatives = 7}, 1500, 3000, 7, 5);
  for (std::size_t dim = 1; dim <= 70; ++dim) {
    check_shared_equals_own<T, Isa>(SSM{.negatives = 20}, 40, 60, 20, dim);
  }
}

/// Sizes around the blocks of a processor's tile unit, large enough that it is used; 200 draws from
/// 130 users give a batch of about 100.
template <class Isa>
void check_tile_unit() {
  for (const std::size_t n : {64U, 65U, 130U}) {
    check_shared_equals_own<float, Isa>(SSM{.negatives = n}, 130, 200, n, 33);
  }
  for (const std::size_t dim : {32U, 64U, 70U}) {
    check_shared_equals_own<float, Isa>(SSM{.negatives = 70}, 130, 200, 70, dim);
  }
  // Several blocks of users in a group.
  check_shared_equals_own<float, Isa>(BPR{.negatives = 64}, 1500, 3000, 64, 32);
}

/// Negatives that do not count for a pair, by the definition.
template <class Masked>
void check_mask(NegativeMask mask, Index item_count, std::size_t pairs, std::size_t negatives,
                const Masked& masked) {
  constexpr Index user_count = 90;  // several blocks
  const Problem given = problem(user_count, item_count, pairs, negatives);
  const auto users = table<double>(user_count, 6, Stream::users);
  const auto items = table<double>(item_count, 6, Stream::items);
  const SSM loss{.negatives = negatives, .tau = 0.3};
  const auto cosine = [&](Index u, Index i) {
    return dot(rows(users)[u], rows(items)[i], 6) / norm(rows(users)[u], 6) /
           norm(rows(items)[i], 6);
  };
  double expected = 0;
  std::size_t left_out = 0;
  for (const Interaction& pair : given.pairs) {
    const double positive = std::exp(cosine(pair.user, pair.item) / loss.tau);
    double sum = positive;
    for (const Index negative : given.negatives) {
      if (masked(given, pair, negative)) {
        ++left_out;
      } else {
        sum += std::exp(cosine(pair.user, negative) / loss.tau);
      }
    }
    expected -= std::log(positive / sum) / static_cast<double>(given.pairs.size());
  }
  CHECK(left_out > 0);
  test::Evaluation<double, MF<dynamic>, SSM> evaluate(
      MF<dynamic>(6), loss, given.train, given.pairs, BatchNegatives(given.negatives, mask));
  CHECK(evaluate(users, items) == doctest::Approx(expected).epsilon(1e-12));
}

/// Masked negatives against a list without them, for a single pair.
template <class Loss>
void check_masked_as_absent(Loss loss) {
  INFO(std::string(Loss::name));
  const std::vector<Interaction> pairs{{0, 1}};
  const Interactions train(2, 5, pairs);
  const std::vector<Index> with_own{3, 1, 2, 1}, without{3, 2};
  const auto users = table<double>(2, 4, Stream::users), items = table<double>(5, 4, Stream::items);
  const auto evaluated = [&](const std::vector<Index>& negatives) {
    test::Gradients<double> gradients;
    test::Evaluation<double, MF<dynamic>, Loss> evaluate(
        MF<dynamic>(4), loss, train, pairs, BatchNegatives(negatives, NegativeMask::own_item));
    const double value = evaluate(users, items, &gradients);
    return std::pair(value, gradients.items);
  };
  const auto [value, gradient] = evaluated(with_own);
  const auto [expected, expected_gradient] = evaluated(without);
  CHECK(value == doctest::Approx(expected).epsilon(1e-12));
  CHECK(difference(gradient, expected_gradient) <= 1e-12);
}

}  // namespace

TEST_CASE("a masked negative counts as absent, in means too") {
  check_masked_as_absent(BPR{});
  check_masked_as_absent(SSM{});
  check_masked_as_absent(BSL{.power = 1.3});
  check_masked_as_absent(CCL{.margin = -0.9});
  check_masked_as_absent(UltraGCN{});
  for (const double tau : {0.1, 30.0}) {
    check_masked_as_absent(PSL{.tau = tau});
    check_masked_as_absent(PSL{.tau = tau, .surrogate = Surrogate::atan});
    check_masked_as_absent(PSL{.tau = tau, .surrogate = Surrogate::relu});
    check_masked_as_absent(SLK{.tau_d = tau, .tau_w = tau});
  }
}

TEST_CASE("training has the mask and the probabilities that its sampler says") {
  const Split split = random_split(
      synthetic_interactions({.users = 120, .items = 100, .interactions_per_user = 20}), {});
  const auto trained = [&]<class Sampler>(const Sampler& sampler, bool log_q) {
    Recommender<MF<8>, SSM, None, Xavier, Adam, Sampler> model(
        split.train, {.loss = {.negatives = 50, .log_q = log_q}, .sampler = sampler});
    fit(model, split, {.learning_rate = 0.01, .batch_size = 256, .epochs = 1}, Silent());
    return std::vector<float>(model.items().begin(), model.items().end());
  };
  using Shared = SharedNegatives<PopularityNegatives>;
  const auto none = trained(Shared{.mask = NegativeMask::none}, false);
  const auto own = trained(Shared{}, false);
  const auto seen = trained(Shared{.mask = NegativeMask::seen_items}, false);
  CHECK(none != own);
  CHECK(own != seen);
  CHECK(none != seen);
  CHECK(trained(Shared{}, true) != own);
  CHECK(trained(AllInBatchNegatives{}, true) != trained(AllInBatchNegatives{}, false));
  CHECK(trained(SharedNegatives<>{}, true) == trained(SharedNegatives<>{}, false));
  // A sampler chosen at run time behaves as the one it holds.
  using One = OneSampler<UniformNegatives, Shared, AllInBatchNegatives>;
  CHECK(trained(One(Shared{.mask = NegativeMask::seen_items}), true) ==
        trained(Shared{.mask = NegativeMask::seen_items}, true));
  CHECK(trained(One(AllInBatchNegatives{}), true) == trained(AllInBatchNegatives{}, true));
}

TEST_CASE("shared negatives give what the same list gives as each pair's own") {
  SUBCASE("float") { check_sizes<float, isa::native>(); }
  SUBCASE("double") { check_sizes<double, isa::native>(); }
  SUBCASE("plain C++") { check_sizes<double, isa::scalar>(); }
  SUBCASE("tiles of bfloat16 in plain C++") { check_tile_unit<test::EmulatedTileIsa>(); }
  SUBCASE("the processor's tile unit") { check_tile_unit<isa::native>(); }
  SUBCASE("losses of cosines") {
    check_shared_equals_own<double, isa::native>(CCL{.negatives = 20, .margin = 0.1}, 40, 90, 20,
                                                 9);
    check_shared_equals_own<double, isa::native>(UltraGCN{.negatives = 20}, 40, 90, 20, 9);
    check_shared_equals_own<double, isa::native>(BSL{.negatives = 20}, 40, 90, 20, 9);
    check_shared_equals_own<double, isa::native>(PSL{.negatives = 20}, 40, 90, 20, 9);
    check_shared_equals_own<double, isa::native>(SLK{.negatives = 20}, 40, 90, 20, 9);
  }
}

TEST_CASE("a pair's own item is masked among shared negatives") {
  check_mask(NegativeMask::own_item, 20, 150, 14,
             [](const Problem&, const Interaction& pair, Index negative) {
               return pair.item == negative;
             });
}

TEST_CASE("all items that a pair's user has seen are masked among shared negatives") {
  const auto seen = [](const Problem& given, const Interaction& pair, Index negative) {
    return std::ranges::binary_search(given.train.items_of(pair.user), negative);
  };
  // The negatives, or the users, have fewer training interactions.
  check_mask(NegativeMask::seen_items, 20, 150, 14, seen);
  check_mask(NegativeMask::seen_items, 400, 200, 150, seen);
  check_mask(NegativeMask::seen_items, 20, 300, 600, seen);
}

TEST_CASE("a pair all of whose negatives are masked has no gradient by them") {
  const std::vector<Interaction> pairs{{0, 1}, {1, 1}};
  const Interactions train(2, 3, pairs);
  const std::vector<Index> negatives{1, 1};
  const auto users = table<double>(2, 4, Stream::users), items = table<double>(3, 4, Stream::items);
  const auto check = [&]<class Loss>(const Loss& loss) {
    INFO(std::string(Loss::name));
    test::Evaluation<double, MF<dynamic>, Loss> evaluate(
        MF<dynamic>(4), loss, train, pairs, BatchNegatives(negatives, NegativeMask::own_item));
    test::Gradients<double> gradients;
    CHECK(std::abs(evaluate(users, items, &gradients)) <= 100);
    CHECK(std::ranges::all_of(gradients.users, [](double g) { return std::abs(g) <= 100; }));
    CHECK(std::ranges::all_of(gradients.items, [](double g) { return std::abs(g) <= 100; }));
    const bool by_positives =
        Loss::name == CCL::name || Loss::name == BSL::name || Loss::name == UltraGCN::name;
    CHECK((difference(gradients.items, zeros<double>(3, 4)) > 0) == by_positives);
  };
  check(BPR{});
  check(SSM{});
  check(CCL{});
  check(UltraGCN{});
  check(BSL{});
  check(PSL{});
  check(SLK{});
  for (const Surrogate surrogate : {Surrogate::atan, Surrogate::relu}) {
    check(PSL{.surrogate = surrogate});
  }
}
