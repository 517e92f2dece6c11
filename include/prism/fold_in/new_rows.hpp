// SPDX-License-Identifier: BSD-3-Clause
// Scorers with rows that were not trained: of new users, or with users or items appended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/execution/host.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The rows of `first` followed by those of `second`.
template <class T>
[[nodiscard]] Matrix<T> concatenate_rows(Rows<const T> first, Rows<const T> second) {
  Matrix<T> all = make_table<T>(first.size() + second.size(), first.dim());
  std::copy_n(first.data(), first.num_elements(), all.data());
  std::copy_n(second.data(), second.num_elements(), all.data() + first.num_elements());
  return all;
}

template <class T>
[[nodiscard]] Matrix<T> copy_rows(Rows<const T> rows) {
  return concatenate_rows(rows, rows.first(0));
}

template <class T>
void check_dim(const char* argument, const Matrix<T>& rows, std::size_t dim) {
  require(rows.shape(1) == dim, argument,
          "must have " + std::to_string(dim) + " columns, as the model's output rows have, not " +
              std::to_string(rows.shape(1)));
}

/// A scorer of these rows with the model's ranking rule, and with a ranking of the model's own
/// rows, which come first.
template <Execution X, class Model, class T = typename Model::scalar_type>
[[nodiscard]] Scorer<T> scorer_of_rows(const X& exec, const Model& model, Matrix<T> users,
                                       Matrix<T> items, const Ranking& ranking) {
  Scorer<T> scorer{Output<T>(std::move(users), std::move(items))};
  prism::apply_ranking_rule(exec, model.options().loss, scorer, model.weights().loss);
  return ranked_scorer(exec, scorer, ranking, model.train());
}

}  // namespace detail

/// A scorer whose users are these rows (row k is user k), with the model's items, its ranking rule
/// and its ranking of items. Both tables are copied.
/// @param users  from fold_in_users(), n x dim of the model's output rows; their magnitudes stay
/// @throws ArgumentError  for rows of another dimension
template <Execution X, class Model, class T = typename Model::scalar_type>
[[nodiscard]] Scorer<T> scorer_of_users(const X& exec, const Model& model, const Matrix<T>& users) {
  const Output<T> output = model.output(exec);
  detail::check_dim("users", users, output.items().dim());
  Ranking ranking = model.ranking();
  ranking.users = false;  // the first rows are not the model's users
  return detail::scorer_of_rows(exec, model, detail::copy_rows(rows(users)),
                                detail::copy_rows(output.items()), ranking);
}

/// The model's scorer with users appended: row k is user model.train().users() + k, as
/// append_users(model.train(), history) numbers them. The model's rows are ranked by its ranking,
/// and those that are appended keep their magnitudes. The model itself does not change; its rows
/// are copied.
/// @throws ArgumentError  for rows of another dimension
template <Execution X, class Model, class T = typename Model::scalar_type>
[[nodiscard]] Scorer<T> append_users(const X& exec, const Model& model, const Matrix<T>& users) {
  const Output<T> output = model.output(exec);
  detail::check_dim("users", users, output.users().dim());
  return detail::scorer_of_rows(exec, model, detail::concatenate_rows(output.users(), rows(users)),
                                detail::copy_rows(output.items()), model.ranking());
}

/// The model's scorer with items appended: row k is item model.train().items() + k. fold_in_items()
/// of the model gives them the magnitudes that its ranking gives to their popularity. Otherwise as
/// append_users().
template <Execution X, class Model, class T = typename Model::scalar_type>
[[nodiscard]] Scorer<T> append_items(const X& exec, const Model& model, const Matrix<T>& items) {
  const Output<T> output = model.output(exec);
  detail::check_dim("items", items, output.items().dim());
  return detail::scorer_of_rows(exec, model, detail::copy_rows(output.users()),
                                detail::concatenate_rows(output.items(), rows(items)),
                                model.ranking());
}

/// Runs on the host's threads: scorer_of_users(par, model, users).
template <class Model, class T = typename Model::scalar_type>
  requires(!Execution<Model>)
[[nodiscard]] Scorer<T> scorer_of_users(const Model& model, const Matrix<T>& users) {
  return scorer_of_users(par, model, users);
}

/// Runs on the host's threads: append_users(par, model, users).
template <class Model, class T = typename Model::scalar_type>
  requires(!Execution<Model>)
[[nodiscard]] Scorer<T> append_users(const Model& model, const Matrix<T>& users) {
  return append_users(par, model, users);
}

/// Runs on the host's threads: append_items(par, model, items).
template <class Model, class T = typename Model::scalar_type>
  requires(!Execution<Model>)
[[nodiscard]] Scorer<T> append_items(const Model& model, const Matrix<T>& items) {
  return append_items(par, model, items);
}

}  // namespace prism::inline PRISM_ISA
