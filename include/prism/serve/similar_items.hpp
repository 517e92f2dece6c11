// SPDX-License-Identifier: BSD-3-Clause
// The items most similar to given items.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/similarity.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/policy/output.hpp"
#include "prism/serve/recommend.hpp"

namespace prism::inline PRISM_ISA {

/// A scorer of the items of `scorer` with its items, and of its users with its users: with
/// Similarity::cosine, an ItemIndex of it answers which items, or users, are similar to which. It
/// keeps the rows alive if `scorer` does.
template <class T>
[[nodiscard]] Scorer<T> item_to_item(const Scorer<T>& scorer) {
  const Rows<const T> rows = scorer.output.items();
  return {Output<T>(Embeddings<const T>{rows, rows}, scorer.output.owner())};
}
template <class T>
[[nodiscard]] Scorer<T> user_to_user(const Scorer<T>& scorer) {
  const Rows<const T> rows = scorer.output.users();
  return {Output<T>(Embeddings<const T>{rows, rows}, scorer.output.owner())};
}

namespace detail {

/// Whether a row has a direction: not if it is zero, or not finite, where all its cosines are 0 or
/// no number. Numbers so small that a ranking takes them for 0 do not count.
template <class T>
[[nodiscard]] bool has_direction(Rows<const T> rows, Index row) noexcept {
  const T* const begin = rows[row];
  const T* const end = begin + rows.dim();
  return std::any_of(begin, end,
                     [](T number) { return std::abs(number) >= std::numeric_limits<T>::min(); }) &&
         std::all_of(begin, end, [](T number) { return is_finite(number); });
}

/// The best k of a list of k + 1, without the item itself.
template <class T>
[[nodiscard]] std::vector<ScoredItem<T>> without_itself(std::span<const ScoredItem<T>> best,
                                                        Index item, std::size_t k) {
  std::vector<ScoredItem<T>> list;
  for (const ScoredItem<T>& other : best) {
    if (other.item != item && list.size() < k) list.push_back(other);
  }
  return list;
}

}  // namespace detail

/// Returns the k items most similar to each of `items`, by the cosine of their output rows, without
/// the item itself, best first; in parallel. Empty for an item whose row has no direction: a row of
/// zeros, or one that is not finite.
/// @throws ArgumentError  for an item out of range, or k of 0
template <HostExecution X, class T>
[[nodiscard]] std::vector<std::vector<ScoredItem<T>>> similar_items(const X& exec,
                                                                    const Scorer<T>& scorer,
                                                                    std::span<const Index> items,
                                                                    std::size_t k) {
  const Scorer<T> pairs = item_to_item(scorer);
  const Rows<const T> rows = pairs.output.items();
  for (const Index item : items) detail::check_row("item", item, rows.size());
  require_at_least_one("k", k);
  std::vector<std::vector<ScoredItem<T>>> lists(items.size());
  // One more, since the item itself is among the best, unless k others have its direction.
  rank_items(exec, pairs, items, std::min(k, rows.size()) + 1, {}, Similarity::cosine,
             [&](std::size_t position, std::span<const ScoredItem<T>> best) {
               const Index item = items[position];
               if (!detail::has_direction(rows, item)) return;
               lists[position] = detail::without_itself(best, item, k);
             });
  return lists;
}
template <class T>
[[nodiscard]] std::vector<std::vector<ScoredItem<T>>> similar_items(const Scorer<T>& scorer,
                                                                    std::span<const Index> items,
                                                                    std::size_t k) {
  return similar_items(par, scorer, items, k);
}

/// Returns the k items most similar to one item, in one pass over the items' rows.
template <HostExecution X, class T>
[[nodiscard]] std::vector<ScoredItem<T>> similar_items(const X& exec, const Scorer<T>& scorer,
                                                       Index item, std::size_t k) {
  const Scorer<T> pairs = item_to_item(scorer);
  const Rows<const T> rows = pairs.output.items();
  detail::check_row("item", item, rows.size());
  require_at_least_one("k", k);
  if (!detail::has_direction(rows, item)) return {};
  const Interactions none(Index{0}, Index{0}, std::span<const Interaction>());
  const auto best = recommend(exec, pairs, none, item, std::min(k, rows.size()) + 1,
                              {.exclude_seen = false, .similarity = Similarity::cosine});
  return detail::without_itself(std::span<const ScoredItem<T>>(best), item, k);
}
template <class T>
[[nodiscard]] std::vector<ScoredItem<T>> similar_items(const Scorer<T>& scorer, Index item,
                                                       std::size_t k) {
  return similar_items(par, scorer, item, k);
}

/// Finds similar items with model.scorer().
template <class Model>
[[nodiscard]] auto similar_items(const Model& model, std::span<const Index> items, std::size_t k) {
  return similar_items(model.scorer(), items, k);
}
template <class Model>
[[nodiscard]] auto similar_items(const Model& model, Index item, std::size_t k) {
  return similar_items(model.scorer(), item, k);
}
// Without this overload, {0, 2} would be converted to a string_view of a null pointer.
template <class Model>
[[nodiscard]] auto similar_items(const Model& model, std::initializer_list<Index> items,
                                 std::size_t k) {
  return similar_items(model.scorer(), std::span<const Index>(items.begin(), items.size()), k);
}
/// Finds items similar to the item of this id in the data.
/// @throws ArgumentError  if the training set has no such item; otherwise as for a row index
template <class Model>
[[nodiscard]] auto similar_items(const Model& model, std::string_view item_id, std::size_t k) {
  const Index item = model.train().find_item(item_id);
  require(item != absent, "item",
          "must be an id of the training set, not '" + std::string(item_id) + "'");
  return similar_items(model.scorer(), item, k);
}

}  // namespace prism::inline PRISM_ISA
