// SPDX-License-Identifier: BSD-3-Clause
// Quantised pruning: upper bounds from products of bytes say which items can be among a user's
// best, and only these candidates are scored. No pruned item could have entered, so the ranking is
// exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/evaluate/selected_list.hpp"
#include "prism/kernel/byte_accumulator.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/quantised_bound.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A block of queries as bytes, and for each query a queue of candidates to be scored.
template <class Isa>
class QuantisedQueries {
 public:
  /// @param items  with panels of bytes
  /// @param rows   queries x dim; both must outlive this
  /// @param first_panel  the first one that prune_panel() tries to prune
  QuantisedQueries(const RankedItems<float>& items, Rows<const float> rows, std::size_t first_panel)
      : items_(&items),
        rows_(rows),
        bytes_(rows.size() * 4 * items.quantised()->quads()),
        scale_(rows.size()),
        quantised_rows_(rows.size()),
        pruning_limits_(rows.size()),
        bits_(rows.size()),
        with_candidates_(rows.size()),
        queues_(rows.size()),
        next_panel_(first_panel) {
    constexpr ByteLimits limits = ByteAccumulator<Isa>::limits;
    std::vector<std::int8_t> bytes(4 * items.quantised()->quads());
    std::vector<float> residual(rows.dim());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Quantisation quantisation =
          quantise<Isa>(bytes.data(), rows[r], 1, rows.dim(), residual.data(), limits.left);
      scale_[r] = quantisation.scale;
      quantised_rows_.set(r, quantisation);
      for (std::size_t b = 0; b < bytes.size(); ++b) {
        bytes_[r * bytes.size() + b] = static_cast<std::uint8_t>(bytes[b] + limits.left_shift);
      }
    }
  }

  /// Finds the candidates of panel s.
  /// @return whether they are few enough for scoring them one by one to be faster
  [[nodiscard]] bool prune_panel(std::size_t s) {
    if (s < next_panel_) return false;
    const QuantisedPanel columns = (*items_->quantised())[s];
    quantised_rows_.write_pruning_limits(pruning_limits_.data(), columns.quantisation);
    find_candidates<Isa>(bits_.size(), items_->quantised()->quads(), bytes_.data(),
                         pruning_limits_.data(), columns, bits_.data());
    std::size_t items = 0, queries = 0;
    for (std::size_t r = 0; r < bits_.size(); ++r) {
      items += static_cast<std::size_t>(std::popcount(bits_[r]));
      with_candidates_[queries] = r;
      queries += bits_[r] != 0 ? 1U : 0U;  // without a branch, which would often be mispredicted
    }
    with_candidates_count_ = queries;
    // Scoring a single item takes as long as scoring this many items of a panel.
    constexpr std::size_t single_score_cost = 16;
    if (items * single_score_cost <= bits_.size() * quantised_panel_width) {
      backoff_ = 1;
      return true;
    }
    // The fraction of candidates decreases like 1 / s, so an earlier attempt would rarely succeed.
    next_panel_ = s + backoff_;
    backoff_ *= 2;
    return false;
  }

  /// The queries with a candidate in the last panel, and a bit for each of its candidates.
  [[nodiscard]] std::span<const std::size_t> with_candidates() const noexcept {
    return std::span(with_candidates_).first(with_candidates_count_);
  }
  [[nodiscard]] std::uint64_t bits(std::size_t r) const noexcept { return bits_[r]; }

  /// Queues the item at a position for scoring for query r, and prefetches its row.
  void enqueue(std::size_t r, std::size_t position, SelectedList<float>& list) {
    prefetch(items_->row(position), rows_.dim());
    // Flushes only now, so that the row queued last has been read from memory.
    if (queues_[r].size == group_size) flush(r, list);
    queues_[r].positions[queues_[r].size++] = static_cast<Index>(position);
  }

  /// Scores the queued items of query r and offers them.
  void flush(std::size_t r, SelectedList<float>& list) {
    Queue& queue = queues_[r];
    if (queue.size == 0) return;
    const float* rows[group_size];
    for (std::size_t j = 0; j < group_size; ++j) {
      rows[j] = items_->row(queue.positions[std::min(j, queue.size - 1)]);
    }
    // At least as long as a pack: g++ 12 does not see that fewer scores are never read as a pack.
    float scores[std::max(group_size, Pack<float, Isa>::width)];
    dot_products<Isa>(scores, rows_[r], rows, rows_.dim());
    list.template offer_all<Isa>(
        scores, queue.size, [&](std::size_t j) { return items_->item_at(queue.positions[j]); });
    queue.size = 0;
    raise_threshold(r, list.threshold());
  }

  /// From here on, only items whose score may be at least this are candidates of query r.
  void raise_threshold(std::size_t r, float score) noexcept {
    quantised_rows_.raise_threshold(r, score / scale_[r]);
  }
  /// From here on, query r has candidates only in panels without a bound.
  void finish(std::size_t r) noexcept {
    quantised_rows_.raise_threshold(r, std::numeric_limits<float>::max());
  }

 private:
  // This many sums at a time hide the latency of the multiply-add.
  static constexpr std::size_t group_size = 8;

  struct Queue {
    std::size_t size = 0;
    Index positions[group_size];
  };

  const RankedItems<float>* items_;
  Rows<const float> rows_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scale_;
  QuantisedRows quantised_rows_;
  std::vector<std::int32_t> pruning_limits_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> with_candidates_;
  std::size_t with_candidates_count_ = 0;
  std::vector<Queue> queues_;
  std::size_t next_panel_;
  std::size_t backoff_ = 1;
};

}  // namespace prism::inline PRISM_ISA::detail
