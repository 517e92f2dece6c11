// SPDX-License-Identifier: BSD-3-Clause
// The inner part of every ranking: some queries against the items' panels, and the best of each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"
#include "prism/evaluate/quantised_pruning.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/top_k.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A filter without its type: which items a query's list may hold. It is called only for items
/// whose score would enter the list, so that an indirect call costs nothing that can be measured.
class FilterView {
 public:
  /// Allows all items.
  FilterView() = default;
  /// @param filter  bool(Index), has to outlive this
  template <class Filter>
  FilterView(const Filter& filter) noexcept
      : filter_(std::addressof(filter)), allows_([](const void* erased, Index item) -> bool {
          return (*static_cast<const Filter*>(erased))(item);
        }) {}

  bool operator()(Index item) const { return allows_ == nullptr || allows_(filter_, item); }

 private:
  const void* filter_ = nullptr;
  bool (*allows_)(const void*, Index) = nullptr;
};

/// Queries ranked together, so that a panel of items serves all of them while it is in cache: their
/// best items so far.
template <class T, class Isa>
class QueryBlock {
 public:
  static constexpr std::size_t max_queries = 96;

  /// @param rows     scoring rows, queries x dim
  /// @param filters  one for each query, or none; all must outlive this
  /// @param k        at most the number of items
  /// @param floors   of each query: a score that k items are known to have at least; or none
  QueryBlock(const RankedItems<T>& items, Rows<const T> rows, std::span<const FilterView> filters,
             std::size_t k, std::span<const T> floors = {})
      : items_(&items),
        rows_(rows),
        filters_(filters),
        length_bound_(rows.size()),
        finished_(rows.size()),
        unfinished_(rows.size()),
        scored_(rows.size()),
        bound_(rows.size(), -unbounded<T>) {
    best_.reserve(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      best_.emplace_back(k, floors.empty() ? -unbounded<T> : floors[r]);
      length_bound_[r] = detail::length_bound<Isa>(rows[r], rows.dim());
    }
  }

  /// Ranks the panels in [first, end).
  void rank(std::size_t first, std::size_t end) {
    if constexpr (std::is_same_v<T, float>) {
      if (items_->quantised() != nullptr) return rank_quantised(first, end);
    }
    for (std::size_t s = first; s < end && any_unfinished(s, [](std::size_t) {}); ++s) {
      score_panel(s);
    }
  }

  /// The end of the panels from `first` on that any query needs, as far as the lengths of their
  /// rows say; those from there on count as ranked.
  [[nodiscard]] std::size_t needed_panels(std::size_t first) {
    std::size_t end = items_->panels();
    const auto needed = [&](std::size_t s) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (!finished_[r] && !(length_bound_[r] * items_->length_bound(s) < threshold(r))) {
          return true;
        }
      }
      return false;
    };
    while (first < end) {
      const std::size_t middle = first + (end - first) / 2;
      if (needed(middle)) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    for (std::size_t r = 0; r < rows_.size() && end < items_->panels(); ++r) {
      if (!finished_[r])
        bound_[r] = std::max(bound_[r], length_bound_[r] * items_->length_bound(end));
    }
    return end;
  }

  [[nodiscard]] std::span<const ScoredItem<T>> best(std::size_t r) const { return best_[r].best(); }
  /// The score that a further item of query r has to reach.
  [[nodiscard]] T threshold(std::size_t r) const noexcept { return best_[r].threshold(); }
  /// How many items of the ranked panels were scored for query r.
  [[nodiscard]] std::size_t scored(std::size_t r) const noexcept { return scored_[r]; }
  /// No item of the ranked panels that query r's filter allows and that was not scored has a score
  /// above this; -unbounded if all were.
  [[nodiscard]] T bound(std::size_t r) const noexcept { return bound_[r]; }

 private:
  static constexpr std::size_t panel_width = RankedItems<T>::panel_width;

  [[nodiscard]] bool allows(std::size_t r, Index item) const {
    return filters_.empty() || filters_[r](item);
  }

  /// Finishes the queries that no item from panel s on is long enough for.
  /// @return whether another one is left
  template <class OnFinish>
  [[nodiscard]] bool any_unfinished(std::size_t s, const OnFinish& on_finish) {
    const T longest = items_->length_bound(s);
    if (!is_finite(longest)) return true;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const T bound = length_bound_[r] * longest;
      if (finished_[r] || !(bound < best_[r].threshold())) continue;
      finished_[r] = 1;
      --unfinished_;
      bound_[r] = std::max(bound_[r], bound);
      on_finish(r);
    }
    return unfinished_ > 0;
  }

  /// Scores all items of panel s.
  void score_panel(std::size_t s) {
    alignas(64) T scores[max_queries * panel_width];
    matrix_product<Store::overwrite, Isa>(
        rows_.size(), panel_width, rows_.dim(), {rows_.data(), rows_.dim(), 1},
        items_->panel(s, panel_memory_), panel_width, scores, panel_width);
    const std::size_t first = s * panel_width;
    const std::size_t width = std::min(panel_width, items_->size() - first);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (finished_[r]) continue;
      scored_[r] += width;
      const T* const row = scores + r * panel_width;
      TopK<T>& best = best_[r];
      best.template for_each_candidate<Isa>(row, width, [&](std::size_t j) {
        const Index item = items_->item_at(first + j);
        if (row[j] > best.below_threshold() && allows(r, item)) best.push(item, row[j]);
      });
    }
  }

  void rank_quantised(std::size_t first, std::size_t end) {
    // Before any item is scored there is no threshold to prune by.
    QuantisedQueries<Isa> queries(*items_, rows_, first + (is_finite(threshold(0)) ? 0 : 1));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      queries.raise_threshold(r, best_[r].threshold());
    }
    const auto finish = [&](std::size_t r) { queries.finish(r); };
    for (std::size_t s = first; s < end && any_unfinished(s, finish); ++s) {
      if (queries.prune_panel(s)) {
        enqueue(queries, s);
        continue;
      }
      score_panel(s);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        queries.raise_threshold(r, best_[r].threshold());
      }
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) scored_[r] += queries.flush(r, best_[r]);
  }

  /// Queues the candidates of panel s for scoring.
  void enqueue(QuantisedQueries<Isa>& queries, std::size_t s) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      // What is no candidate was compared with a threshold of at most this.
      if (!finished_[r]) bound_[r] = std::max(bound_[r], best_[r].threshold());
    }
    for (const std::size_t r : queries.with_candidates()) {
      for (std::uint64_t bits = queries.bits(r); bits != 0; bits &= bits - 1) {
        const std::size_t position =
            s * panel_width + static_cast<std::size_t>(std::countr_zero(bits));
        if (position < items_->size() && allows(r, items_->item_at(position))) {
          scored_[r] += queries.enqueue(r, position, best_[r]);
        }
      }
    }
  }

  const RankedItems<T>* items_;
  Rows<const T> rows_;
  std::span<const FilterView> filters_;
  std::vector<TopK<T>> best_;
  std::vector<T> length_bound_;
  std::vector<std::uint8_t> finished_;  // no later item can enter
  std::size_t unfinished_;
  std::vector<std::size_t> scored_;
  std::vector<T> bound_;
  TableVector<T> panel_memory_;
};

}  // namespace prism::inline PRISM_ISA::detail
