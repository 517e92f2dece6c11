// SPDX-License-Identifier: BSD-3-Clause
// The inner part of every ranking: scores the items' panels for some queries, and keeps the best
// items of each.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"
#include "prism/evaluate/quantised_pruning.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/evaluate/selected_list.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/scored_item.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Queries ranked together, so that a panel of items serves all of them while it is in cache, with
/// their best items so far.
template <class T, class Isa>
class QueryBlock {
 public:
  static constexpr std::size_t max_queries = 96;

  /// @param rows     scoring rows, queries x dim
  /// @param filters  one for each query, or none; all must outlive this
  /// @param k        at most the number of items
  /// @param floors   for each query, a score that at least k items are known to reach; or none
  QueryBlock(const RankedItems<T>& items, Rows<const T> rows, std::span<const FilterView> filters,
             std::size_t k, std::span<const T> floors = {})
      : items_(&items),
        rows_(rows),
        magnitude_bound_(rows.size()),
        finished_(rows.size()),
        unfinished_(rows.size()),
        bound_(rows.size(), -unbounded<T>) {
    lists_.reserve(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      lists_.emplace_back(k, floors.empty() ? -unbounded<T> : floors[r],
                          filters.empty() ? FilterView() : filters[r]);
      magnitude_bound_[r] = detail::magnitude_bound<Isa>(rows[r], rows.dim());
    }
  }

  /// Ranks the panels in [first, end).
  void rank(std::size_t first, std::size_t end) {
    if (first >= end) return;
    if constexpr (std::is_same_v<T, float>) {
      if (items_->quantised() != nullptr) return rank_quantised(first, end);
    }
    for (std::size_t s = first; s < end && any_unfinished(s, [](std::size_t) {}); ++s) {
      score_panel(s);
    }
  }

  /// The end of the panels from `first` on that any query needs, according to the magnitudes of
  /// their rows; the panels after it count as ranked.
  [[nodiscard]] std::size_t needed_panels(std::size_t first) {
    std::size_t end = items_->panels();
    const auto needed = [&](std::size_t s) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (!finished_[r] && !(magnitude_bound_[r] * items_->magnitude_bound(s) < threshold(r))) {
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
      if (finished_[r]) continue;
      bound_[r] = std::max(bound_[r], magnitude_bound_[r] * items_->magnitude_bound(end));
    }
    return end;
  }

  [[nodiscard]] std::span<const ScoredItem<T>> best(std::size_t r) const {
    return lists_[r].best();
  }
  /// The score that another item has to reach for query r.
  [[nodiscard]] T threshold(std::size_t r) const noexcept { return lists_[r].threshold(); }
  /// The number of items of the ranked panels that were scored for query r.
  [[nodiscard]] std::size_t scored(std::size_t r) const noexcept { return lists_[r].scored(); }
  /// An upper bound of the scores of items in the ranked panels that query r's filter allows but
  /// that were not scored; -unbounded if all were scored.
  [[nodiscard]] T bound(std::size_t r) const noexcept { return bound_[r]; }

 private:
  static constexpr std::size_t panel_width = RankedItems<T>::panel_width;

  /// Finishes the queries for which no item from panel s on is long enough.
  /// @return whether any query is left
  template <class OnFinish>
  [[nodiscard]] bool any_unfinished(std::size_t s, const OnFinish& on_finish) {
    const T largest = items_->magnitude_bound(s);
    if (!is_finite(largest)) return true;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const T bound = magnitude_bound_[r] * largest;
      if (finished_[r] || !(bound < threshold(r))) continue;
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
      if (!finished_[r]) {
        lists_[r].template offer_all<Isa>(scores + r * panel_width, width, [&](std::size_t j) {
          return items_->item_at(first + j);
        });
      }
    }
  }

  void rank_quantised(std::size_t first, std::size_t end) {
    // Before any item is scored there is no threshold to prune by.
    QuantisedQueries<Isa> queries(*items_, rows_, first + (is_finite(threshold(0)) ? 0 : 1));
    const auto raise_thresholds = [&] {
      for (std::size_t r = 0; r < rows_.size(); ++r) queries.raise_threshold(r, threshold(r));
    };
    raise_thresholds();
    bool pruned = false;
    for (std::size_t s = first;
         s < end && any_unfinished(s, [&](std::size_t r) { queries.finish(r); }); ++s) {
      if (queries.prune_panel(s)) {
        enqueue(queries, s);
        pruned = true;
      } else {
        score_panel(s);
        raise_thresholds();
      }
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      queries.flush(r, lists_[r]);
      // Items that were no candidates were compared with a threshold of at most this.
      if (pruned) bound_[r] = std::max(bound_[r], threshold(r));
    }
  }

  /// Queues the candidates of panel s for scoring.
  void enqueue(QuantisedQueries<Isa>& queries, std::size_t s) {
    for (const std::size_t r : queries.with_candidates()) {
      SelectedList<T>& list = lists_[r];
      for (std::uint64_t bits = queries.bits(r); bits != 0; bits &= bits - 1) {
        const std::size_t position =
            s * panel_width + static_cast<std::size_t>(std::countr_zero(bits));
        if (position >= items_->size()) break;
        if (list.is_selective() && !list.allows(items_->item_at(position))) continue;
        queries.enqueue(r, position, list);
      }
    }
  }

  const RankedItems<T>* items_;
  Rows<const T> rows_;
  std::vector<SelectedList<T>> lists_;
  std::vector<T> magnitude_bound_;
  std::vector<std::uint8_t> finished_;  // no later item can enter
  std::size_t unfinished_;
  std::vector<T> bound_;
  TableVector<T> panel_memory_;
};

}  // namespace prism::inline PRISM_ISA::detail
