// SPDX-License-Identifier: BSD-3-Clause
// Queries to ItemIndex, and their results.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// The user to rank items for. Refers to the row, which must outlive the query: a temporary row may
/// only be passed as an argument, as in `index.top_k(std::vector<float>{0.5F, -0.2F}, 10)`.
template <class T>
struct Query {
  std::span<const T> row;  ///< a user's output row
  T factor = 1;            ///< the user's Scorer::user_factor, if the loss has a ranking rule

  template <std::convertible_to<std::span<const T>> Row>
  Query(const Row& user_row, T user_factor = 1) : row(user_row), factor(user_factor) {}
};

/// The query for a user of a scorer. Refers to the scorer's rows.
/// @throws ArgumentError  for a user out of range
template <class T>
[[nodiscard]] Query<T> query_of(const Scorer<T>& scorer, Index user) {
  const Rows<const T> users = scorer.output.users();
  detail::check_scorer(scorer);
  detail::check_row("user", user, users.size());
  return {std::span<const T>(users[user], users.dim()), scorer.factor_of_user(user)};
}
template <class T, class Number = T>
Query<T> query_of(const Scorer<T>&& scorer, Index user) {
  static_assert(!std::same_as<Number, T>,
                "a query of a temporary scorer would dangle: name it first, as in "
                "`const auto scorer = model.scorer(); query_of(scorer, user)`");
  return query_of(scorer, user);
}

/// The queries for several users of a scorer.
/// @throws ArgumentError  for a user out of range
template <class T>
[[nodiscard]] std::vector<Query<T>> queries_of(const Scorer<T>& scorer,
                                               std::span<const Index> users) {
  std::vector<Query<T>> queries;
  queries.reserve(users.size());
  for (const Index user : users) queries.push_back(query_of(scorer, user));
  return queries;
}
template <class T, class Number = T>
std::vector<Query<T>> queries_of(const Scorer<T>&& scorer, std::span<const Index> users) {
  static_assert(!std::same_as<Number, T>,
                "queries of a temporary scorer would dangle: name it first, as in "
                "`const auto scorer = model.scorer(); queries_of(scorer, users)`");
  return queries_of(scorer, users);
}

/// The best items of a query, and the evidence that they are the best.
template <class T>
struct TopKResult {
  /// Best first, equal scores in the order of their rows; fewer than k if the filter allows fewer,
  /// or scores are not finite.
  std::vector<ScoredItem<T>> items;
  /// The number of items scored, each as in a ranking of all items.
  std::size_t scored = 0;
  /// An upper bound of the scores of items that the filter allows but that were not scored; at most
  /// the score of the k-th item. the lowest number if all were scored.
  T bound = -detail::unbounded<T>;
};

}  // namespace prism::inline PRISM_ISA
