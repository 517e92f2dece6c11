// SPDX-License-Identifier: BSD-3-Clause
// Lists for one user, or like one item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

struct RecommendOptions {
  bool exclude_seen = true;  ///< leave out the user's training items
  Similarity similarity = Similarity::dot;
};

namespace detail {

/// The k best of all items by score(item); items for which skip(item) holds are left out.
template <class T, class Score, class Skip>
[[nodiscard]] std::vector<Scored<T>> best_items(std::size_t items, std::size_t k,
                                                const Score& score, const Skip& skip) {
  TopK<T> best(std::min(k, items));
  for (std::size_t i = 0; i < items; ++i) {
    const Index item = static_cast<Index>(i);
    if (!skip(item)) best.offer(item, score(item));
  }
  return {best.best().begin(), best.best().end()};
}

inline void check_row(const char* argument, Index row, std::size_t size) {
  require(row < size, argument,
          "must be below " + std::to_string(size) + ", not " + std::to_string(row));
}

}  // namespace detail

/// The k best items for a user, best first; fewer where there are not as many.
/// @throws ArgumentError for a user that is no row, or k of 0
template <class Model>
[[nodiscard]] auto recommend(const Model& model, Index user, std::size_t k,
                             const RecommendOptions& options = {}) {
  using T = typename Model::scalar_type;
  const Embeddings<const T> output = model.output();
  const Rows<const T> items = output.items;
  detail::check_row("user", user, output.users.size());
  require(k >= 1, "k", "must be at least 1, not 0");
  const std::size_t dim = items.dim();
  const T* const row = output.users[user];
  const T user_length = std::max(norm(row, dim), static_cast<T>(smallest_norm));
  return detail::best_items<T>(
      items.size(), k,
      [&](Index item) {
        const T score = dot(row, items[item], dim);
        if (options.similarity == Similarity::dot) return score;
        const T item_length = std::max(norm(items[item], dim), static_cast<T>(smallest_norm));
        return score / (user_length * item_length);
      },
      [&](Index item) { return options.exclude_seen && model.train().contains(user, item); });
}

/// The k items most like one, by cosine, without itself.
/// @throws ArgumentError for an item that is no row, or k of 0
template <class Model>
[[nodiscard]] auto similar_items(const Model& model, Index item, std::size_t k) {
  using T = typename Model::scalar_type;
  const Rows<const T> items = model.output().items;
  detail::check_row("item", item, items.size());
  require(k >= 1, "k", "must be at least 1, not 0");
  const std::size_t dim = items.dim();
  const T length = std::max(norm(items[item], dim), static_cast<T>(smallest_norm));
  return detail::best_items<T>(
      items.size(), k,
      [&](Index other) {
        const T other_length = std::max(norm(items[other], dim), static_cast<T>(smallest_norm));
        return dot(items[item], items[other], dim) / (length * other_length);
      },
      [&](Index other) { return other == item; });
}

}  // namespace prism::inline PRISM_ISA
