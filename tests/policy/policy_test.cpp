// SPDX-License-Identifier: BSD-3-Clause
// Behaviour and size of single policies.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

#include "policies.hpp"

using namespace prism;

namespace {

// Empty policies occupy no memory.
using Plain = Recommender<MF<64>, DirectAU, None, Xavier>;
using WithPrism = Recommender<MF<64>, DirectAU, None, PRISM<1.0>>;
struct OptionsWithoutEmptyPolicies {
  std::uint64_t seed;
  std::pmr::memory_resource* memory;
  DirectAU loss;
  Adam optimizer;
  Ranking ranking;
};
static_assert(std::is_empty_v<MF<64>>);
static_assert(std::is_empty_v<None>);
static_assert(std::is_empty_v<Xavier>);
static_assert(std::is_empty_v<SGD>);
static_assert(std::is_empty_v<UniformNegatives>);
static_assert(sizeof(Plain::Options) == sizeof(OptionsWithoutEmptyPolicies));
// PRISM adds only its scale, a run-time option; alpha, a constant of the type, adds nothing.
static_assert(sizeof(PRISM<1.0>) == sizeof(double));
static_assert(sizeof(WithPrism::Options) == sizeof(Plain::Options) + sizeof(double));
static_assert(sizeof(WithPrism) == sizeof(Plain) + sizeof(double));
static_assert(sizeof(Plain::Weights) == 2 * sizeof(Matrix<float>));
static_assert(sizeof(PRISM<dynamic>) == 2 * sizeof(double));
static_assert(MF<64>{}.dim() == 64);

// Types that do not meet the requirements of a policy.
struct Nothing {};
struct NamedOnly {
  static constexpr std::string_view name = "NamedOnly";
};
static_assert(!BackbonePolicy<Nothing> && !BackbonePolicy<NamedOnly>);
static_assert(!LossPolicy<Nothing> && !LossPolicy<NamedOnly> && !LossPolicy<None>);
static_assert(!RegularizerPolicy<Nothing> && !RegularizerPolicy<Adam>);
static_assert(!InitializerPolicy<Nothing> && !InitializerPolicy<NamedOnly>);
static_assert(!OptimizerPolicy<SGD::State<double>> && !OptimizerPolicy<None>);
static_assert(!SamplerPolicy<Nothing> && !SamplerPolicy<Xavier>);

}  // namespace

TEST_CASE("Xavier is uniform within its bound, and depends only on the random stream") {
  auto table = zeros<double>(300, 20), again = zeros<double>(300, 20),
       other = zeros<double>(300, 20);
  const std::vector<Index> popularity(300, 1);
  Xavier{}(par, rows(table), popularity, Random(5, Stream::users));
  Xavier{}(par, rows(again), popularity, Random(5, Stream::users));
  Xavier{}(par, rows(other), popularity, Random(5, Stream::items));
  CHECK(table == again);
  CHECK(table != other);
  const double limit = std::sqrt(6.0 / 320);
  double sum = 0, squares = 0, largest = 0;
  for (const double x : table) {
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
  CHECK(largest <= limit);
  CHECK(largest > 0.99 * limit);
  CHECK(std::abs(sum / 6000) < 5 * limit / std::sqrt(3.0 * 6000));
  CHECK(squares / 6000 == doctest::Approx(limit * limit / 3).epsilon(0.05));
}

TEST_CASE("PRISM sets a row's magnitude by its popularity and keeps the base's direction") {
  const std::vector<Index> popularity{0, 1, 5, 100, 100000};
  const Random random(5, Stream::items);
  auto base = zeros<double>(5, 7), table = zeros<double>(5, 7);
  Xavier{}(par, rows(base), popularity, random);
  PRISM<0.5>{}(par, rows(table), popularity, random);
  for (std::size_t r = 0; r < 5; ++r) {
    const double expected = 0.5 * std::log(popularity[r] + 2.0) + 0.5;
    CHECK(norm(rows(table)[r], 7) == doctest::Approx(expected));
    CHECK(dot(rows(table)[r], rows(base)[r], 7) ==
          doctest::Approx(expected * norm(rows(base)[r], 7)));
  }
  auto same = zeros<double>(5, 7);
  PRISM<dynamic> at_run_time(0.5);
  at_run_time(par, rows(same), popularity, random);
  CHECK(same == table);
  CHECK(label(at_run_time) == "PRISM<0.5>");
  CHECK(label(PRISM<1.0>{}) == "PRISM<1>");
}

TEST_CASE("PRISM's scale is a factor on every magnitude, and in the label unless it is 1") {
  const std::vector<Index> popularity{0, 1, 5, 100, 100000};
  const Random random(5, Stream::items);
  auto table = zeros<double>(5, 7), scaled = zeros<double>(5, 7), same = zeros<double>(5, 7);
  PRISM<0.5>{}(par, rows(table), popularity, random);
  PRISM<0.5>{.scale = 0.2}(par, rows(scaled), popularity, random);
  PRISM<dynamic>{.alpha = 0.5, .scale = 0.2}(par, rows(same), popularity, random);
  CHECK(same == scaled);
  for (std::size_t r = 0; r < 5; ++r) {
    CHECK(norm(rows(scaled)[r], 7) ==
          doctest::Approx(0.2 * (0.5 * std::log(popularity[r] + 2.0) + 0.5)));
    for (std::size_t k = 0; k < 7; ++k) {
      CHECK(scaled(r, k) == doctest::Approx(0.2 * table(r, k)));
    }
  }
  CHECK(label(PRISM<1.0>{.scale = 0.1}) == "PRISM<1, scale 0.1>");
  CHECK(label(PRISM<dynamic>{.alpha = 0.5, .scale = 2}) == "PRISM<0.5, scale 2>");
}

TEST_CASE("a model refuses PRISM's options outside their domain") {
  const std::vector<Interaction> pairs{{0, 0}};
  const Interactions train(1, 1, pairs);
  const auto argument_of = [&]<class Initializer>(const Initializer& initializer) -> std::string {
    try {
      Recommender<MF<4>, BPR, None, Initializer> model(train, {.initializer = initializer});
    } catch (const ArgumentError& error) {
      return error.argument();
    }
    return "nothing";
  };
  for (const double number : {-0.1, std::nan(""), HUGE_VAL}) {
    CHECK(argument_of(PRISM<dynamic>{.alpha = number}) == "alpha");
    CHECK(argument_of(PRISM<1.0>{.scale = number}) == "scale");
  }
  CHECK(argument_of(PRISM<1.0>{.scale = 0}) == "scale");
  CHECK(argument_of(OneInitializer<Xavier, PRISM<dynamic>>(PRISM<dynamic>{.scale = 0})) == "scale");
  CHECK(argument_of(PRISM<dynamic>{.alpha = 0, .scale = 0.01}) == "nothing");
}

TEST_CASE("regularizers determine which rows decay") {
  CHECK(None{}.weight_decay(true) == 0);
  CHECK(BatchedWD{.lambda = 0.5}.weight_decay(true) == 0.5);
  CHECK(BatchedWD{.lambda = 0.5}.weight_decay(false) == 0);
  CHECK(FullWD{.lambda = 0.5}.weight_decay(true) == 0.5);
  CHECK(FullWD{.lambda = 0.5}.weight_decay(false) == 0.5);
  CHECK(weight_decay(FullWD{.lambda = 0.5}, true, 7) == 0.5);
  CHECK(weight_decay(test::PopularityWD{.lambda = 0.5}, true, 7) == 7);
  static_assert(PopularityRegularizer<test::PopularityWD> && !PopularityRegularizer<FullWD>);
  using Chosen = OneRegularizer<None, test::PopularityWD>;
  static_assert(PopularityRegularizer<Chosen> && !PopularityRegularizer<OneRegularizer<None>>);
  CHECK(weight_decay(Chosen(test::PopularityWD{.lambda = 0.5}), false, 7) == 3.5);
  CHECK(weight_decay(Chosen(None{}), false, 7) == 0);
}

TEST_CASE("SGD updates batch rows with gradient and decay, other rows only with decay") {
  auto table = zeros<double>(3, 2);
  table.fill(1);
  auto gradient = zeros<double>(1, 2);
  gradient.fill(10);
  const std::vector<Index> unique_rows{1}, inverse_index{absent, 0, absent}, popularity{3, 4, 0};
  const BatchSide side{.unique_rows = unique_rows,
                       .num_active = 1,
                       .offsets = {},
                       .occurrences = {},
                       .inverse_index = inverse_index};
  SGD::State<double> state(3, 2);
  const auto step = [&](const auto& regularizer) {
    const ParameterView<double> view{.rows = rows(table), .popularity = popularity};
    SGD{}(par, view, TableGradient<double>::sparse(rows(gradient), side), state,
          {.learning_rate = 0.1, .step = 1}, regularizer);
    SGD{}.flush(par, view, state, regularizer);
  };
  SUBCASE("without decay") {
    step(None{});
    CHECK(table(0, 0) == 1);
    CHECK(table(1, 1) == doctest::Approx(1 - 0.1 * 10));
  }
  SUBCASE("with batched decay") {
    step(BatchedWD{.lambda = 0.5});
    CHECK(table(0, 0) == 1);
    CHECK(table(1, 1) == doctest::Approx(1 - 0.1 * (10 + 0.5)));
  }
  SUBCASE("with full decay") {
    step(FullWD{.lambda = 0.5});
    CHECK(table(0, 0) == doctest::Approx(1 - 0.1 * 0.5));
    CHECK(table(1, 1) == doctest::Approx(1 - 0.1 * (10 + 0.5)));
  }
  SUBCASE("with decay by popularity") {
    step(test::PopularityWD{.lambda = 0.5});
    CHECK(table(0, 0) == doctest::Approx(1 - 0.1 * 0.5 * 3));
    CHECK(table(1, 1) == doctest::Approx(1 - 0.1 * (10 + 2 * 0.5 * 4)));
    CHECK(table(2, 0) == 1);  // of a row without interactions
  }
}

TEST_CASE("uniform negatives cover all items, and depend only on their position in the epoch") {
  const std::vector<Interaction> pairs(1000, Interaction{0, 0});
  const Interactions train(1, 13, std::span(pairs).first(1));
  std::vector<Index> whole(5000), part(2500);
  const Random random(1, Stream::negatives, 4);
  UniformNegatives{}(par, {pairs, 5, train, random, 0}, whole);
  UniformNegatives{}(par, {std::span(pairs).subspan(500), 5, train, random, 2500}, part);
  CHECK(std::ranges::equal(part, std::span(whole).subspan(2500)));
  std::vector<int> counts(13);
  for (const Index item : whole) ++counts.at(item);
  for (const int count : counts) CHECK(std::abs(count - 5000 / 13) < 5 * std::sqrt(5000.0 / 13));
}

TEST_CASE("the uniformity of a side with one row is 0") {
  const std::vector<Interaction> pairs{{0, 0}};
  using Model = Recommender<MF<4>, DirectAU, None, Xavier, SGD, UniformNegatives, double>;
  Model model(Interactions(1, 1, pairs));
  const double cosine = dot(rows(model.users())[0], rows(model.items())[0], 4) /
                        (norm(rows(model.users())[0], 4) * norm(rows(model.items())[0], 4));
  Trainer trainer(model);
  CHECK(trainer.step(pairs, {}, 0.1) == doctest::Approx(2 - 2 * cosine));
  for (const double x : model.users()) CHECK(std::isfinite(x));
}
