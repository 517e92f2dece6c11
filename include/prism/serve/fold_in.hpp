// SPDX-License-Identifier: BSD-3-Clause
// Rows for users and items that arrive after training, in closed form. The model's own rows do not
// change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/append.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/execution/host.hpp"
#include "prism/policy/output.hpp"
#include "prism/serve/least_squares.hpp"
#include "prism/serve/row_magnitude.hpp"

namespace prism::inline PRISM_ISA {

struct FoldInOptions {
  LeastSquaresOptions least_squares{};
  /// The magnitude of each new row as a function of its number of interactions; as solved if left
  /// out. A user's magnitude does not affect the ranking of items, but an item's does.
  std::optional<PrismMagnitude> magnitude{};
};

namespace detail {

/// Scales a row to a magnitude, however small its numbers are; a row of zeros stays one.
inline void set_magnitude(std::span<double> row, double magnitude) {
  double largest = 0;  // by which the row is divided first, so that squares do not underflow
  for (const double x : row) largest = std::max(largest, std::abs(x));
  if (largest == 0) return;
  double sum = 0;
  for (const double x : row) sum += (x / largest) * (x / largest);
  for (double& x : row) x = x / largest / std::sqrt(sum) * magnitude;
}

/// Scales rows to the magnitudes for their popularity, if those are given.
template <class T>
void set_magnitudes(Rows<T> rows, std::span<const Index> popularity,
                    const std::optional<PrismMagnitude>& magnitude) {
  if (!magnitude) return;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> row(rows[r], rows[r] + rows.dim());
    set_magnitude(row, (*magnitude)(popularity[r]));
    std::ranges::transform(row, rows[r], [](double x) { return static_cast<T>(x); });
  }
}

/// Sets the rows without interactions to the mean of the trained rows of their side.
/// @param finish  called with the mean
template <class T, class Finish>
void set_rows_without_history(Rows<T> rows, std::span<const Index> popularity,
                              Rows<const T> trained, const Finish& finish) {
  if (std::ranges::find(popularity, Index{0}) == popularity.end()) return;
  std::vector<double> sum(rows.dim());
  for (std::size_t r = 0; r < trained.size(); ++r) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<double>(trained[r][c]);
  }
  for (double& x : sum) x /= static_cast<double>(std::max<std::size_t>(1, trained.size()));
  finish(std::span(sum));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (popularity[r] != 0) continue;
    std::ranges::transform(sum, rows[r], [](double x) { return static_cast<T>(x); });
  }
}

/// @param frozen    the other side's rows, one for each of the history's rows there
/// @param trained   the rows of the side that is folded in
/// @param observed  the frozen rows observed with each new row
template <Execution X, class T, class Observed>
[[nodiscard]] Matrix<T> fold_in(const X& exec, Rows<const T> frozen, Rows<const T> trained,
                                std::span<const Index> popularity, const Observed& observed,
                                const FoldInOptions& options) {
  if (options.magnitude) options.magnitude->check();
  const LeastSquares<T> least_squares(exec, frozen, options.least_squares);
  Matrix<T> folded_in = make_table<T>(popularity.size(), frozen.dim());
  const Rows<T> to = rows(folded_in);
  const auto finish = [&](Index degree, std::span<double> row) {
    if (options.magnitude) set_magnitude(row, (*options.magnitude)(degree));
  };
  least_squares.solve(exec, to.size(), observed, to,
                      [&](std::size_t r, std::span<double> row) { finish(popularity[r], row); });
  set_rows_without_history(to, popularity, trained, [&](std::span<double> row) { finish(0, row); });
  return folded_in;
}

inline void check_count(std::size_t rows, std::size_t model_rows, const char* kind) {
  require(rows == model_rows, "history",
          "must have the " + std::to_string(model_rows) + " " + kind + " of the model, not " +
              std::to_string(rows));
}

}  // namespace detail

/// Computes rows of new users by least squares against the items' output rows; see LeastSquares.
/// They are output rows, also with MLP, LightGCN and SimpleX: new users do not pass through the
/// towers, the propagation or the average of their history. A user without interactions gets the
/// mean of the trained users' output rows, which ranks much like popularity. To rank with the rows:
/// scorer_of_users(), append_users().
/// @param exec     where it runs; the host's threads if left out
/// @param scorer   from Recommender::scorer(); its ranking rule is not used
/// @param history  new users x the scorer's items, in the same rows
/// @return new users x dim
/// @throws ArgumentError  for a different number of items; for an option outside its domain; as
///     LeastSquares
template <Execution X, class T>
[[nodiscard]] Matrix<T> fold_in_users(const X& exec, const Scorer<T>& scorer,
                                      const Interactions& history,
                                      const FoldInOptions& options = {}) {
  detail::check_scorer(scorer);
  detail::check_count(history.items(), scorer.output.items().size(), "items");
  return detail::fold_in(
      exec, scorer.output.items(), scorer.output.users(), history.user_degree(),
      [&](std::size_t user) { return history.items_of(static_cast<Index>(user)); }, options);
}

/// The same for a model. @throws ArgumentError  also if the items' ids are neither the model's nor
///     row numbers
template <Execution X, class Model>
[[nodiscard]] auto fold_in_users(const X& exec, const Model& model, const Interactions& history,
                                 const FoldInOptions& options = {}) {
  detail::check_same_rows(*model.train().item_ids(), *history.item_ids(), "items");
  return fold_in_users(exec, Scorer<typename Model::scalar_type>{model.output(exec)}, history,
                       options);
}

/// Computes rows of new items by least squares against the users' output rows. An item's magnitude
/// affects every ranking: `{.magnitude = trained_magnitude_of_items(model)}` gives it that of
/// equally popular trained items. An item without interactions gets the mean of the trained items'
/// output rows. To rank with the rows: append_items(). Otherwise as fold_in_users().
/// @param history  the scorer's users x new items
template <Execution X, class T>
[[nodiscard]] Matrix<T> fold_in_items(const X& exec, const Scorer<T>& scorer,
                                      const Interactions& history,
                                      const FoldInOptions& options = {}) {
  detail::check_scorer(scorer);
  detail::check_count(history.users(), scorer.output.users().size(), "users");
  return detail::fold_in(
      exec, scorer.output.users(), scorer.output.items(), history.item_degree(),
      [&](std::size_t item) { return history.users_of(static_cast<Index>(item)); }, options);
}
template <Execution X, class Model>
[[nodiscard]] auto fold_in_items(const X& exec, const Model& model, const Interactions& history,
                                 const FoldInOptions& options = {}) {
  detail::check_same_rows(*model.train().user_ids(), *history.user_ids(), "users");
  return fold_in_items(exec, Scorer<typename Model::scalar_type>{model.output(exec)}, history,
                       options);
}

/// The same for a scorer or a model, on the host's threads.
template <class Ranked>
requires(!Execution<Ranked>)
    [[nodiscard]] auto fold_in_users(const Ranked& ranked, const Interactions& history,
                                     const FoldInOptions& options = {}) {
  return fold_in_users(par, ranked, history, options);
}
template <class Ranked>
requires(!Execution<Ranked>)
    [[nodiscard]] auto fold_in_items(const Ranked& ranked, const Interactions& history,
                                     const FoldInOptions& options = {}) {
  return fold_in_items(par, ranked, history, options);
}

}  // namespace prism::inline PRISM_ISA
