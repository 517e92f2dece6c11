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
#include "prism/fold_in/least_squares.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/row_magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// Options of fold_in_users() and fold_in_items().
struct FoldInOptions {
  LeastSquaresOptions least_squares{};
  /// The magnitude of each new row as a function of its number of interactions. If left out: the
  /// magnitude of the model's ranking, if popularity alone sets it, as with Ranking::power and no
  /// exponent (for users, only with Ranking::users); otherwise that of the solution. A user's
  /// magnitude does not affect the ranking of items (unless a ranking rule has an offset), but an
  /// item's does.
  std::optional<PrismMagnitude> magnitude{};
};

namespace detail {

/// Scales a row to a magnitude, however small its numbers are. A row of zeros does not change.
inline void set_magnitude(std::span<double> row, double magnitude) {
  double largest = 0;  // by which the row is divided first, so that squares do not underflow
  for (const double x : row) largest = std::max(largest, std::abs(x));
  if (largest == 0) return;
  double sum = 0;
  for (const double x : row) sum += (x / largest) * (x / largest);
  for (double& x : row) x = x / largest / std::sqrt(sum) * magnitude;
}

/// Scales each row to its magnitude; without magnitudes, changes nothing.
template <class T>
void set_magnitudes(Rows<T> rows, std::span<const double> magnitudes) {
  if (magnitudes.empty()) return;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<double> row(rows[r], rows[r] + rows.dim());
    set_magnitude(row, magnitudes[r]);
    std::ranges::transform(row, rows[r], [](double x) { return static_cast<T>(x); });
  }
}

/// The magnitudes of rows of this popularity; empty if the option is left out.
[[nodiscard]] inline std::vector<double> magnitudes_of(
    const std::optional<PrismMagnitude>& magnitude, std::span<const Index> popularity) {
  if (!magnitude) return {};
  magnitude->check();
  std::vector<double> values(popularity.size());
  std::ranges::transform(popularity, values.begin(), *magnitude);
  return values;
}

/// The magnitudes that a ranking gives to new rows from their popularity. Empty if its magnitudes
/// depend on more than popularity, or it does not scale rows of this side.
/// @param users  whether they are users' rows
template <class T>
[[nodiscard]] std::vector<double> magnitudes_of(const Ranking& ranking, bool users,
                                                std::span<const Index> popularity) {
  const bool by_popularity_alone = ranking.own_exponent() == 0 && ranking.magnitudes.empty();
  if (!by_popularity_alone || (users && !ranking.users)) return {};
  if (!ranking.sets_magnitudes()) return std::vector<double>(popularity.size(), 1.0);
  const std::vector<T> values = magnitudes_for<T>(ranking, popularity);
  return {values.begin(), values.end()};
}

/// The magnitudes of the option if it is given, otherwise those of the model's ranking.
template <class Model>
[[nodiscard]] std::vector<double> magnitudes_of(const std::optional<PrismMagnitude>& magnitude,
                                                const Model& model, bool users,
                                                std::span<const Index> popularity) {
  if (magnitude) return magnitudes_of(magnitude, popularity);
  return magnitudes_of<typename Model::scalar_type>(model.ranking(), users, popularity);
}

/// Sets the rows without interactions to the mean of the trained rows of their side.
/// @param magnitudes  of the rows; empty: as the mean's
template <class T>
void set_rows_without_history(Rows<T> rows, std::span<const Index> popularity,
                              Rows<const T> trained, std::span<const double> magnitudes) {
  const auto first = std::ranges::find(popularity, Index{0});
  if (first == popularity.end()) return;
  std::vector<double> sum(rows.dim());
  for (std::size_t r = 0; r < trained.size(); ++r) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<double>(trained[r][c]);
  }
  for (double& x : sum) x /= static_cast<double>(std::max<std::size_t>(1, trained.size()));
  if (!magnitudes.empty()) {  // the same for all of them
    set_magnitude(sum, magnitudes[static_cast<std::size_t>(first - popularity.begin())]);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (popularity[r] != 0) continue;
    std::ranges::transform(sum, rows[r], [](double x) { return static_cast<T>(x); });
  }
}

/// @param frozen      the other side's rows, one for each of the history's rows there
/// @param trained     the rows of the side that is folded in
/// @param observed    the frozen rows observed with each new row
/// @param magnitudes  of the new rows; empty: as solved
template <Execution X, class T, class Observed>
[[nodiscard]] Matrix<T> fold_in(const X& exec, Rows<const T> frozen, Rows<const T> trained,
                                std::span<const Index> popularity, const Observed& observed,
                                const LeastSquaresOptions& options,
                                std::span<const double> magnitudes) {
  const LeastSquares<T> least_squares(exec, frozen, options);
  Matrix<T> folded_in = make_table<T>(popularity.size(), frozen.dim());
  const Rows<T> to = rows(folded_in);
  least_squares.solve(exec, to.size(), observed, to, [&](std::size_t r, std::span<double> row) {
    if (!magnitudes.empty()) set_magnitude(row, magnitudes[r]);
  });
  set_rows_without_history(to, popularity, trained, magnitudes);
  return folded_in;
}

template <Execution X, class T>
[[nodiscard]] Matrix<T> rows_of_new_users(const X& exec, const Output<T>& output,
                                          const Interactions& history,
                                          const LeastSquaresOptions& options,
                                          std::span<const double> magnitudes) {
  return fold_in(
      exec, output.items(), output.users(), history.user_degree(),
      [&](std::size_t user) { return history.items_of(static_cast<Index>(user)); }, options,
      magnitudes);
}
template <Execution X, class T>
[[nodiscard]] Matrix<T> rows_of_new_items(const X& exec, const Output<T>& output,
                                          const Interactions& history,
                                          const LeastSquaresOptions& options,
                                          std::span<const double> magnitudes) {
  return fold_in(
      exec, output.users(), output.items(), history.item_degree(),
      [&](std::size_t item) { return history.users_of(static_cast<Index>(item)); }, options,
      magnitudes);
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
/// @param scorer   with the magnitudes of training: Recommender::scorer(exec, Ranking{}), or
///     SavedScorer::trained; its ranking rule is not used
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
  return detail::rows_of_new_users(exec, scorer.output, history, options.least_squares,
                                   detail::magnitudes_of(options.magnitude, history.user_degree()));
}

/// Computes rows of new users against a model's output rows as trained, whatever its ranking is.
/// @throws ArgumentError  also if the items' ids are neither the model's nor row numbers, or if the
///     ranking gives a row a magnitude that is not finite and above 0
template <Execution X, class Model>
[[nodiscard]] auto fold_in_users(const X& exec, const Model& model, const Interactions& history,
                                 const FoldInOptions& options = {}) {
  detail::check_same_rows(*model.train().item_ids(), *history.item_ids(), "items");
  return detail::rows_of_new_users(
      exec, model.output(exec), history, options.least_squares,
      detail::magnitudes_of(options.magnitude, model, true, history.user_degree()));
}

/// Computes rows of new items by least squares against the users' output rows. An item's magnitude
/// affects every ranking: a model whose ranking sets magnitudes from popularity alone gives a new
/// item that of its number of interactions, and `{.magnitude = trained_magnitude_of_items(model)}`
/// that of equally popular trained items. An item without interactions gets the mean of the trained
/// items' output rows. To rank with the rows: append_items(). Otherwise as fold_in_users().
/// @param history  the scorer's users x new items
template <Execution X, class T>
[[nodiscard]] Matrix<T> fold_in_items(const X& exec, const Scorer<T>& scorer,
                                      const Interactions& history,
                                      const FoldInOptions& options = {}) {
  detail::check_scorer(scorer);
  detail::check_count(history.users(), scorer.output.users().size(), "users");
  return detail::rows_of_new_items(exec, scorer.output, history, options.least_squares,
                                   detail::magnitudes_of(options.magnitude, history.item_degree()));
}
/// Computes rows of new items against a model's output rows as trained, whatever its ranking is.
/// @throws ArgumentError  as fold_in_users() of a model, for the users' ids
template <Execution X, class Model>
[[nodiscard]] auto fold_in_items(const X& exec, const Model& model, const Interactions& history,
                                 const FoldInOptions& options = {}) {
  detail::check_same_rows(*model.train().user_ids(), *history.user_ids(), "users");
  return detail::rows_of_new_items(
      exec, model.output(exec), history, options.least_squares,
      detail::magnitudes_of(options.magnitude, model, false, history.item_degree()));
}

/// Run on the host's threads: fold_in_users(par, ...), fold_in_items(par, ...).
/// @param ranked  a scorer or a model
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
