// SPDX-License-Identifier: BSD-3-Clause
// New rows in closed form, and scorers that include them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

namespace {

using Pairs = std::vector<Interaction>;

template <class T>
Matrix<T> random_rows(std::size_t size, std::size_t dim, std::uint64_t seed) {
  Matrix<T> table = make_table<T>(size, dim);
  const Random random(seed, Stream::synthetic);
  for (std::size_t k = 0; k < table.size(); ++k) {
    table.data()[k] = static_cast<T>(standard_normal(random, k));
  }
  return table;
}

template <class T>
Scorer<T> random_scorer(std::size_t users, std::size_t items, std::size_t dim) {
  return {Output<T>(random_rows<T>(users, dim, 1), random_rows<T>(items, dim, 2))};
}

/// x of A x = b by elimination with the largest pivot.
std::vector<double> eliminate(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    }
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

/// The definition, term by term: a weight for every frozen row, observed or not.
template <class T>
std::vector<double> naive_row(Rows<const T> frozen, std::span<const Index> observed,
                              const LeastSquaresOptions& options) {
  const std::size_t dim = frozen.dim();
  std::vector<std::vector<double>> a(dim, std::vector<double>(dim));
  std::vector<double> b(dim);
  double squares = 0;
  for (std::size_t v = 0; v < frozen.size(); ++v) {
    std::vector<double> row(frozen[v], frozen[v] + dim);
    double square = 0;
    for (const double x : row) square += x * x;
    if (options.similarity == Similarity::cosine) {
      for (double& x : row) x /= std::sqrt(square);
      square = 1;
    }
    squares += square;
    const bool is_observed = std::ranges::find(observed, v) != observed.end();
    const double weight = is_observed ? 1 : options.unobserved_weight;
    for (std::size_t i = 0; i < dim; ++i) {
      for (std::size_t j = 0; j < dim; ++j) a[i][j] += weight * row[i] * row[j];
      if (is_observed) b[i] += row[i];
    }
  }
  for (std::size_t i = 0; i < dim; ++i) {
    a[i][i] += options.lambda * squares / static_cast<double>(frozen.size());
  }
  return eliminate(std::move(a), std::move(b));
}

const Interactions& history() {
  static const Interactions made =
      synthetic_interactions({.users = 40, .items = 60, .interactions_per_user = 6, .seed = 3});
  return made;
}

template <class T>
double largest_difference(const Matrix<T>& rows, const LeastSquaresOptions& options,
                          Rows<const T> frozen) {
  double largest = 0;
  for (Index user = 0; user < history().users(); ++user) {
    const std::vector<double> expected = naive_row(frozen, history().items_of(user), options);
    for (std::size_t c = 0; c < frozen.dim(); ++c) {
      const double difference = std::abs(static_cast<double>(rows(user, c)) - expected[c]);
      largest = difference > largest || std::isnan(difference) ? difference : largest;
    }
  }
  return largest;
}

template <class T>
bool same_bits(const Matrix<T>& a, const Matrix<T>& b) {
  return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

using FoldInModel = Recommender<MF<8>, DirectAU, None, PRISM<1.0>>;

const FoldInModel& small_model() {
  static const FoldInModel model(
      synthetic_interactions({.users = 50, .items = 60, .interactions_per_user = 8}));
  return model;
}

}  // namespace

TEST_CASE("rows of new users are the solution of the dense normal equations") {
  for (const std::size_t dim : std::array<std::size_t, 9>{1, 2, 7, 8, 9, 16, 33, 64, 70}) {
    const auto scorer = random_scorer<double>(5, 60, dim);
    const auto in_float = random_scorer<float>(5, 60, dim);
    for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
      for (const double weight : {0.0, 0.03, 1.0}) {
        CAPTURE(dim);
        CAPTURE(weight);
        const LeastSquaresOptions options{
            .unobserved_weight = weight, .lambda = 0.2, .similarity = similarity};
        const Matrix<double> folded_in =
            fold_in_users(scorer, history(), {.least_squares = options});
        CHECK(largest_difference(folded_in, options, scorer.output.items()) <= 1e-9);
        const Matrix<float> narrow = fold_in_users(in_float, history(), {.least_squares = options});
        CHECK(largest_difference(narrow, options, in_float.output.items()) <= 1e-5);
      }
    }
  }
}

TEST_CASE("rows of new users are the same bits for any number of threads, and alone or together") {
  const auto scorer = random_scorer<float>(5, 60, 40);
  const auto folded_in = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return fold_in_users(scorer, history());
  };
  const Matrix<float> one = folded_in(1);
  CHECK(same_bits(one, folded_in(2)));
  CHECK(same_bits(one, folded_in(5)));
  for (const Index user : {Index{0}, Index{17}, Index{39}}) {
    Pairs own;
    for (const Index item : history().items_of(user)) own.push_back({0, item});
    const Matrix<float> alone = fold_in_users(scorer, {1, 60, own});
    CHECK(std::equal(alone.begin(), alone.end(), rows(one)[user]));
  }
  const Matrix<float> in_plain_loops = fold_in_users(serial, scorer, history());
  for (std::size_t k = 0; k < one.size(); ++k) {
    CHECK(one.data()[k] == doctest::Approx(in_plain_loops.data()[k]).epsilon(1e-5));
  }
}

TEST_CASE("new items are to users what new users are to items") {
  const Matrix<double> users = random_rows<double>(60, 12, 4),
                       items = random_rows<double>(9, 12, 5);
  const Scorer<double> scorer{Output<double>(users, items)}, turned{Output<double>(items, users)};
  Pairs swapped;
  for (std::size_t k = 0; k < history().size(); ++k) {
    swapped.push_back({history()[k].item, history()[k].user});
  }
  CHECK(same_bits(fold_in_items(scorer, {60, 40, swapped}), fold_in_users(turned, history())));
}

TEST_CASE("the ridge means the same for short and long rows") {
  Matrix<double> items = random_rows<double>(60, 10, 6), longer(items);
  for (double& x : longer) x *= 16;
  const Matrix<double> users = random_rows<double>(3, 10, 7);
  const auto one = fold_in_users(Scorer<double>{Output<double>(users, items)}, history());
  const auto other = fold_in_users(Scorer<double>{Output<double>(users, longer)}, history());
  for (std::size_t k = 0; k < one.size(); ++k) CHECK(one.data()[k] == 16 * other.data()[k]);
}

TEST_CASE("a new row has PRISM's magnitude for its popularity where that is asked for") {
  const auto scorer = random_scorer<double>(5, 60, 10);
  const PrismMagnitude magnitude{.alpha = 0.7, .scale = 0.5};
  const Matrix<double> as_solved = fold_in_users(scorer, history());
  const Matrix<double> set = fold_in_users(scorer, history(), {.magnitude = magnitude});
  for (Index user = 0; user < history().users(); ++user) {
    const double d = history().user_degree()[user];
    const double expected = 0.5 * (0.7 * std::log(d + 2) + 0.3);
    CHECK(norm(rows(set)[user], 10) == doctest::Approx(expected).epsilon(1e-12));
    const double solved = norm(rows(as_solved)[user], 10);
    for (std::size_t c = 0; c < 10; ++c) {
      CHECK(set(user, c) == doctest::Approx(as_solved(user, c) * expected / solved));
    }
  }
  CHECK(refusal([&] {
          return fold_in_users(scorer, history(), {.magnitude = {{.alpha = -1}}});
        }).starts_with("alpha: "));
  CHECK(refusal([&] {
          return fold_in_users(scorer, history(), {.magnitude = {{.scale = 0}}});
        }).starts_with("scale: "));
  CHECK(refusal([&] { return fold_in_users(scorer, history(), {.magnitude = {{.alpha = 4}}}); }) ==
        "alpha: must be from 0 to 3.25, not 4; above that, the magnitude for popularity 0 would be "
        "negative");
  CHECK(PrismMagnitude{.alpha = max_prism_alpha}(0) > 0);
}

TEST_CASE("a row's magnitude is set however small the solution is") {
  for (const double lambda : {1e3, 1e12, 1e50, 1e200}) {
    CAPTURE(lambda);
    const Matrix<float> rows_of_users =
        fold_in_users(random_scorer<float>(5, 60, 10), history(),
                      {.least_squares = {.lambda = lambda}, .magnitude = PrismMagnitude{}});
    for (Index user = 0; user < history().users(); ++user) {
      const double expected = std::log(history().user_degree()[user] + 2.0);
      CHECK(norm(rows(rows_of_users)[user], 10) == doctest::Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("a user without a history gets the mean of the trained users' rows") {
  const auto scorer = random_scorer<double>(5, 60, 3);
  const Matrix<double> folded_in = fold_in_users(scorer, {2, 60, Pairs{{0, 7}}});
  for (std::size_t c = 0; c < 3; ++c) {
    double mean = 0;
    for (std::size_t u = 0; u < 5; ++u) mean += scorer.output.users()[u][c] / 5;
    CHECK(folded_in(1, c) == doctest::Approx(mean).epsilon(1e-12));
    CHECK(folded_in(0, c) != folded_in(1, c));
  }
  CHECK(fold_in_users(scorer, {0, 60, Pairs{}}).shape(0) == 0);
}

TEST_CASE("fold-in refuses a history of other items, and options outside their domain") {
  const auto scorer = random_scorer<double>(5, 60, 3);
  CHECK(refusal([&] { return fold_in_users(scorer, {1, 61, Pairs{{0, 60}}}); }) ==
        "history: must have the 60 items of the model, not 61");
  CHECK(refusal([&] { return fold_in_items(scorer, {4, 2, Pairs{{0, 0}}}); }) ==
        "history: must have the 5 users of the model, not 4");
  CHECK(refusal([&] {
          return fold_in_users(small_model(), {1, 59, Pairs{{0, 3}}});
        }).starts_with("history: must have the same 60 items in the same rows"));
  const auto with = [&](LeastSquaresOptions options) {
    return refusal([&] { return fold_in_users(scorer, history(), {.least_squares = options}); });
  };
  CHECK(with({.unobserved_weight = 1.1}) == "unobserved_weight: must be from 0 to 1, not 1.1");
  CHECK(with({.unobserved_weight = std::nan("")}).starts_with("unobserved_weight: "));
  CHECK(with({.lambda = -1}) == "lambda: must be a finite number of at least 0, not -1");
  CHECK(with({.lambda = 1e308}).starts_with("lambda: must be smaller than 1e+308, whose product"));
  CHECK(with({.similarity = Similarity(7)}) == "similarity: must be one of its type's enumerators");
  const Scorer<double> of_zeros{Output<double>(random_rows<double>(5, 3, 1), zeros<double>(60, 3))};
  CHECK(refusal([&] { return fold_in_users(of_zeros, history()); }) ==
        "frozen: must have output rows that are not all zero");
  const Scorer<double> uneven{
      Output<double>(random_rows<double>(5, 1, 1), random_rows<double>(60, 64, 2))};
  CHECK(refusal([&] { return fold_in_users(uneven, {1, 60, Pairs{}}); }).starts_with("scorer: "));
  // Six observed rows cannot determine ten columns.
  CHECK(refusal([&] {
          return fold_in_users(random_scorer<double>(2, 60, 10), history(),
                               {.least_squares = {.unobserved_weight = 0, .lambda = 0}});
        }) ==
        "lambda: must be greater than 0, with which the least-squares problem has no unique "
        "solution");
  const LeastSquares<double> least_squares(par, scorer.output.items());
  Matrix<double> to = zeros<double>(1, 3);
  const std::vector<Index> beyond{60};
  CHECK(refusal([&] {
          least_squares.solve(
              par, 1, [&](std::size_t) { return std::span<const Index>(beyond); }, rows(to));
          return 0;
        }) == "history: must have row numbers below 60, the model's number of rows, not 60");
}

TEST_CASE("fold-in names the model's row that is not finite, not lambda") {
  for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
    for (const float wrong :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      CAPTURE(wrong);
      for (const std::size_t row : {std::size_t{7}, std::size_t{59}}) {
        Matrix<float> items = random_rows<float>(60, 3, 2);
        items(row, 1) = wrong;
        const Scorer<float> scorer{Output<float>(random_rows<float>(5, 3, 1), items)};
        CHECK(refusal([&] {
                return fold_in_users(scorer, history(),
                                     {.least_squares = {.similarity = similarity}});
              }) ==
              "frozen: must have output rows with a finite sum of squared magnitudes, which row " +
                  std::to_string(row) + " makes infinite or NaN");
      }
    }
  }
}

TEST_CASE("folded-in users are ranked with the model's items, alone and appended") {
  const FoldInModel& model = small_model();
  const Interactions& shown = history();  // its ids are row numbers, which stand for any
  const Matrix<float> folded_in = fold_in_users(model, shown);
  const Scorer<float> alone = scorer_of_users(model, folded_in);
  const Scorer<float> appended = append_users(model, folded_in);
  CHECK(alone.output.users().size() == 40);
  CHECK(appended.output.users().size() == 90);
  Ids new_ids;
  for (Index user = 0; user < 40; ++user) new_ids.intern("new " + std::to_string(user));
  Pairs pairs;
  for (std::size_t k = 0; k < shown.size(); ++k) pairs.push_back(shown[k]);
  const Interactions named(std::make_shared<const Ids>(new_ids), model.train().item_ids(), pairs);
  const Interactions seen = append_users(model.train(), named);
  CHECK(seen.find_user("new 5") == 55);
  for (const Index user : {Index{0}, Index{5}, Index{39}}) {
    const auto of_alone = recommend(alone, shown, user, 10);
    const auto of_appended = recommend(appended, seen, 50 + user, 10);
    REQUIRE(of_alone.size() == 10);
    for (std::size_t k = 0; k < 10; ++k) {
      CHECK(of_alone[k].item == of_appended[k].item);
      CHECK(of_alone[k].score == of_appended[k].score);
      CHECK_FALSE(shown.contains(user, of_alone[k].item));
    }
  }
  const auto trained = recommend(model, 3, 10), still = recommend(appended, seen, 3, 10);
  for (std::size_t k = 0; k < 10; ++k) CHECK(trained[k].item == still[k].item);
  CHECK(refusal([&] { return append_users(model, random_rows<float>(2, 9, 1)); }) ==
        "users: must have 8 columns, as the model's output rows have, not 9");
}

TEST_CASE("appended items rank by their own rows, and by the model's ranking rule") {
  using RankedByRule = Recommender<MF<8>, MACR>;
  const RankedByRule model(
      synthetic_interactions({.users = 50, .items = 60, .interactions_per_user = 8}));
  const Matrix<float> items = random_rows<float>(3, 8, 11);
  const Scorer<float> appended = append_items(model, items);
  const Scorer<float> trained = model.scorer();
  REQUIRE(appended.item_factor.size() == 63);
  CHECK(appended.offset == trained.offset);
  for (std::size_t i = 0; i < 60; ++i) CHECK(appended.item_factor[i] == trained.item_factor[i]);
  const float head = dot(rows(items)[1], model.weights().loss.item_head.data(), 8);
  CHECK(appended.item_factor[61] == doctest::Approx(1 / (1 + std::exp(-head))));
  CHECK(std::equal(rows(items)[2], rows(items)[2] + 8, appended.output.items()[62]));
  CHECK(scorer_of_users(model, items).user_factor.size() == 3);
}
