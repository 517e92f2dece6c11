// SPDX-License-Identifier: BSD-3-Clause
// The items as a ranking reads them: panels of their scoring rows, and for pruning their rows,
// panels of bytes, and bounds of their magnitudes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/similarity.hpp"
#include "prism/evaluate/quantised_items.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The items of a ranking, by position: in the order of their ids for a single ranking, or the
/// largest magnitudes first for many rankings.
template <class T>
class RankedItems {
 public:
  static constexpr std::size_t panel_width = ItemPanels<T>::panel_width;

  /// In the order of ids.
  /// @param scorer     must outlive this
  /// @param quantised  with panels of bytes; only for float
  template <Execution X>
  RankedItems(const X& exec, const Scorer<T>& scorer, Similarity similarity, bool quantised)
      : size_(scorer.output.items().size()), panels_(exec, scorer, similarity) {
    if (!quantised) return;
    if (scores_by_output_rows(scorer, similarity)) {
      rows_ = scorer.output.items();
    } else {
      write_rows(exec, scorer, similarity);
    }
    write_bytes(exec);
  }

  struct LongestFirst {};
  /// Copies what it needs from the scorer, each number once: rows if quantised, panels otherwise.
  template <Execution X>
  RankedItems(const X& exec, const Scorer<T>& scorer, Similarity similarity, bool quantised,
              LongestFirst)
      : size_(scorer.output.items().size()),
        magnitude_bounds_(item_magnitude_bounds(exec, scorer, similarity)),
        order_(largest_first(magnitude_bounds_)),
        panels_(exec, scorer, similarity, order_, quantised ? first_panels * panel_width : size_) {
    std::vector<T> of_panel(panels());
    for (std::size_t s = 0; s < panels(); ++s) {
      of_panel[s] = magnitude_bounds_[order_[s * panel_width]];
    }
    magnitude_bounds_ = std::move(of_panel);
    position_of_.resize(size_);
    for (std::size_t p = 0; p < size_; ++p) position_of_[order_[p]] = static_cast<Index>(p);
    if (!quantised) return;
    write_rows(exec, scorer, similarity);
    write_bytes(exec);
  }

  RankedItems(const RankedItems&) = delete;
  RankedItems& operator=(const RankedItems&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t dim() const noexcept { return panels_.dim(); }
  [[nodiscard]] std::size_t panels() const noexcept {
    return (size_ + panel_width - 1) / panel_width;
  }

  [[nodiscard]] Index item_at(std::size_t position) const noexcept {
    return order_.empty() ? static_cast<Index>(position) : order_[position];
  }
  /// Only for LongestFirst.
  [[nodiscard]] std::size_t position_of(Index item) const noexcept { return position_of_[item]; }

  /// Panel s: dim x panel_width, row-major.
  /// @param memory  overwritten if the panel is built from rows
  [[nodiscard]] const T* panel(std::size_t s, TableVector<T>& memory) const {
    if (s < panels_.panels()) return panels_[s];
    memory.assign(dim() * panel_width, T{0});
    const std::size_t first = s * panel_width, count = std::min(panel_width, size_ - first);
    for (std::size_t column = 0; column < count; ++column) {
      const T* const row = rows_[first + column];
      for (std::size_t k = 0; k < dim(); ++k) memory[k * panel_width + column] = row[k];
    }
    return memory.data();
  }

  /// The scoring row at a position.
  /// @param memory  dim elements, overwritten if there are no rows
  [[nodiscard]] const T* row(std::size_t position, T* memory) const noexcept {
    if (rows_.size() > 0) return rows_[position];
    const T* const panel = panels_[position / panel_width] + position % panel_width;
    for (std::size_t k = 0; k < dim(); ++k) memory[k] = panel[k * panel_width];
    return memory;
  }
  /// The scoring row at a position, if quantised.
  [[nodiscard]] const T* row(std::size_t position) const noexcept { return rows_[position]; }

  /// A bound of the magnitudes of rows in panel s and all later ones; unbounded if none is known.
  [[nodiscard]] T magnitude_bound(std::size_t s) const noexcept {
    return magnitude_bounds_.empty() ? unbounded<T> : magnitude_bounds_[s];
  }

  /// Panels of bytes, or null.
  [[nodiscard]] const QuantisedItems* quantised() const noexcept {
    return quantised_ ? &*quantised_ : nullptr;
  }

 private:
  // The panels that nearly every ranking scores as a whole, before its threshold prunes.
  static constexpr std::size_t first_panels = 128;
  static constexpr std::size_t grain = 1024;

  template <Execution X>
  static std::vector<T> item_magnitude_bounds(const X& exec, const Scorer<T>& scorer,
                                              Similarity similarity) {
    std::vector<T> bounds(scorer.output.items().size());
    parallel_chunks(exec, bounds.size(), grain, [&](std::size_t begin, std::size_t end) {
      std::vector<T> row(scoring_dim(scorer));
      for (std::size_t item = begin; item < end; ++item) {
        write_item<typename X::isa>(row.data(), scorer, item, similarity);
        bounds[item] = detail::magnitude_bound<typename X::isa>(row.data(), row.size());
      }
    });
    return bounds;
  }

  static std::vector<Index> largest_first(const std::vector<T>& bounds) {
    std::vector<Index> order(bounds.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      return bounds[a] != bounds[b] ? bounds[a] > bounds[b] : a < b;
    });
    return order;
  }

  template <Execution X>
  void write_rows(const X& exec, const Scorer<T>& scorer, Similarity similarity) {
    own_rows_.resize(size_ * dim());
    rows_ = Rows<const T>(own_rows_.data(), size_, dim());
    parallel_chunks(exec, size_, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) {
        write_item<typename X::isa>(own_rows_.data() + p * dim(), scorer, item_at(p), similarity);
      }
    });
  }

  template <Execution X>
  void write_bytes(const X& exec) {
    if constexpr (std::is_same_v<T, float>) quantised_.emplace(exec, rows_);
  }

  std::size_t size_;
  std::vector<T> magnitude_bounds_;  // of items during sorting, then of panels
  std::vector<Index> order_;         // the item at each position; empty in the order of ids
  std::vector<Index> position_of_;
  ItemPanels<T> panels_;
  TableVector<T> own_rows_;  // empty if the output rows are the scoring rows
  Rows<const T> rows_;
  std::optional<QuantisedItems> quantised_;
};

}  // namespace prism::inline PRISM_ISA::detail
