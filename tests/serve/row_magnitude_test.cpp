// SPDX-License-Identifier: BSD-3-Clause
// The PRISM magnitude closest to trained rows.
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <prism/prism.hpp>
#include <span>
#include <utility>
#include <vector>

#include "support/error_of.hpp"

using namespace prism;
using test::refusal;

TEST_CASE("a trained magnitude is the PRISM magnitude that rows were given") {
  const Interactions train =
      synthetic_interactions({.users = 80, .items = 50, .interactions_per_user = 9});
  for (const double alpha : {0.0, 0.4, 1.0, 2.5}) {
    Recommender<MF<8>, DirectAU, None, PRISM<dynamic>> model(
        train, {.initializer = {.alpha = alpha, .scale = 0.3}});
    model.weights().users *= 2;
    const PrismMagnitude found =
        trained_magnitude(model.tables().items, model.train().item_degree());
    CAPTURE(alpha);
    CHECK(found.alpha == doctest::Approx(alpha).epsilon(1e-4));
    CHECK(found.scale == doctest::Approx(0.3).epsilon(1e-4));
    CHECK(trained_magnitude_of_items(model).alpha == found.alpha);
    CHECK(trained_magnitude_of_items(model).scale == found.scale);
  }
}

TEST_CASE("a trained magnitude is never negative, whatever the rows are like") {
  // Magnitudes that fall with popularity, and magnitudes that grow faster than its logarithm.
  const std::vector<Index> popularity{0, 1, 10, 100, 1000};
  for (const std::vector<double>& magnitude :
       {std::vector<double>{9, 4, 3, 2, 1}, std::vector<double>{9, 0.01, 0.1, 1, 10}}) {
    Matrix<double> table = zeros<double>(5, 2);
    for (std::size_t r = 0; r < 5; ++r) table(r, 1) = magnitude[r];
    const PrismMagnitude found =
        trained_magnitude(rows(std::as_const(table)), std::span<const Index>(popularity));
    for (const Index d : popularity) CHECK(found(d) > 0);
    CHECK(found.alpha == (magnitude[1] > 1 ? 0 : 3));
    if (magnitude[1] > 1) CHECK(found.scale == doctest::Approx(2.5));  // not 9: it was not trained
  }
  const Matrix<double> sixty = zeros<double>(60, 2);
  CHECK(refusal([&] {
          return trained_magnitude(rows(sixty), std::span<const Index>(popularity));
        }) == "popularity: must have one number for each of the 60 rows, not 5");
  Matrix<double> table = zeros<double>(5, 2);
  const auto of_table = [&](const std::vector<Index>& of_rows) {
    return trained_magnitude(rows(std::as_const(table)), std::span<const Index>(of_rows));
  };
  CHECK(refusal([&] { return of_table(popularity); }) ==
        "table: has no trained row: all rows with interactions have the magnitude 0");
  // Where all are equally popular, no slope follows from rounding errors.
  table = zeros<double>(10, 2);
  for (const Index d : {1U, 3U, 7U, 20U, 333U}) {
    for (std::size_t r = 0; r < 10; ++r) table(r, 0) = 0.1 + 0.7 * static_cast<double>(r);
    const PrismMagnitude found = of_table(std::vector<Index>(10, d));
    CHECK(found.alpha == 0);
    CHECK(found(1000) == doctest::Approx(3.25));
  }
  table = zeros<double>(5, 2);
  table(2, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([&] { return of_table(popularity); }) ==
        "table: must have rows of finite magnitude, but that of row 2 is not finite");
}
