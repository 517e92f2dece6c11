// SPDX-License-Identifier: BSD-3-Clause
// Quantised pruning: upper bounds from products of bytes say which items can be among a user's
// best, and only these candidates are scored. No pruned item could have entered, so the ranking is
// exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/quantised_bound.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/top_k.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The instruction set of pruning: Isa if it multiplies bytes, otherwise plain loops.
template <class Isa>
using PruningIsa = std::conditional_t<has_byte_dot_product<Isa>, Isa, isa::scalar>;

/// The items' scoring rows, as panels of bytes and as floats.
class QuantisedItems {
 public:
  /// @param scorer  whose items these are; has to outlive this
  template <Execution X>
  QuantisedItems(const X& exec, const Scorer<float>& scorer, Similarity similarity,
                 const ItemPanels<float>& items)
      : dim_(items.dim()),
        quads_((dim_ + 3) / 4),
        own_rows_(scores_by_output_rows(scorer, similarity) ? 0 : items.size() * dim_),
        rows_(own_rows_.empty() ? scorer.output.items()
                                : Rows<const float>(own_rows_.data(), items.size(), dim_)),
        bytes_(items.panels() * panel_width * 4 * quads_, std::int8_t{0}),
        zero_point_offsets_(items.panels() * panel_width),
        quantisations_(items.panels()) {
    parallel_tasks(exec, items.panels(), [&](std::size_t s) {
      const std::size_t first = s * panel_width;
      const std::size_t count = std::min(panel_width, items.size() - first);
      for (std::size_t column = 0; !own_rows_.empty() && column < count; ++column) {
        float* const row = own_rows_.data() + (first + column) * dim_;
        for (std::size_t k = 0; k < dim_; ++k) row[k] = items[s][k * panel_width + column];
      }
      std::vector<std::int8_t> bytes(panel_width * dim_);
      std::vector<float> residual(dim_);
      quantisations_[s] =
          quantise<typename X::isa>(bytes.data(), rows_[first], count, dim_, residual.data());
      for (std::size_t column = 0; column < panel_width; ++column) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < dim_; ++k) {
          const std::int8_t byte = bytes[column * dim_ + k];
          sum += byte;
          bytes_[((s * quads_ + k / 4) * panel_width + column) * 4 + k % 4] = byte;
        }
        zero_point_offsets_[first + column] = -128 * sum;
      }
    });
  }

  [[nodiscard]] const float* row(std::size_t item) const noexcept { return rows_[item]; }
  [[nodiscard]] std::size_t quads() const noexcept { return quads_; }
  /// Panel s.
  [[nodiscard]] QuantisedPanel operator[](std::size_t s) const noexcept {
    const std::size_t first = s * panel_width;
    return {bytes_.data() + first * 4 * quads_, zero_point_offsets_.data() + first,
            quantisations_[s]};
  }

 private:
  static constexpr std::size_t panel_width = ItemPanels<float>::panel_width;
  static_assert(panel_width == quantised_panel_width);
  template <class T>
  using AlignedVector = TableVector<T>;

  std::size_t dim_;
  std::size_t quads_;
  AlignedVector<float> own_rows_;  // none where the output rows are the scoring rows
  Rows<const float> rows_;
  AlignedVector<std::int8_t> bytes_;
  AlignedVector<std::int32_t> zero_point_offsets_;
  // One for each panel: a row that is not finite then leaves only the other 63 without a bound, and
  // a row of large norm loosens only theirs.
  std::vector<Quantisation> quantisations_;
};

/// A block of users as bytes, and for each user a queue of candidates to be scored.
template <class Isa>
class QuantisedUsers {
 public:
  /// @param rows  users x dim, must outlive this
  QuantisedUsers(const QuantisedItems& items, const float* rows, std::size_t users, std::size_t dim)
      : items_(&items),
        rows_(rows),
        dim_(dim),
        bytes_(users * 4 * items.quads()),
        scale_(users),
        quantised_rows_(users),
        pruning_limits_(users),
        bits_(users),
        with_candidates_(users),
        queues_(users) {
    std::vector<std::int8_t> bytes(4 * items.quads());
    std::vector<float> residual(dim);
    for (std::size_t r = 0; r < users; ++r) {
      const Quantisation quantisation =
          quantise<Isa>(bytes.data(), rows + r * dim, 1, dim, residual.data());
      scale_[r] = quantisation.scale;
      quantised_rows_[r] = QuantisedRow(quantisation);
      for (std::size_t b = 0; b < bytes.size(); ++b) {
        bytes_[r * bytes.size() + b] = static_cast<std::uint8_t>(bytes[b] + 128);
      }
    }
  }

  /// Finds the candidates of panel s.
  /// @return whether they are few enough for scoring them one by one to be faster
  [[nodiscard]] bool prune_panel(std::size_t s) {
    if (s < next_panel_) return false;
    const QuantisedPanel columns = (*items_)[s];
    for (std::size_t r = 0; r < quantised_rows_.size(); ++r) {
      pruning_limits_[r] = quantised_rows_[r].pruning_limit(columns.quantisation);
    }
    find_candidates<PruningIsa<Isa>>(bits_.size(), items_->quads(), bytes_.data(),
                                     pruning_limits_.data(), columns, bits_.data());
    std::size_t items = 0, users = 0;
    for (std::size_t r = 0; r < bits_.size(); ++r) {
      items += static_cast<std::size_t>(std::popcount(bits_[r]));
      with_candidates_[users] = r;
      users += bits_[r] != 0 ? 1 : 0;  // without a branch, which would often be mispredicted
    }
    with_candidates_count_ = users;
    // Scoring a single item takes as long as scoring this many of a panel.
    constexpr std::size_t single_score_cost = 16;
    if (items * single_score_cost <= bits_.size() * quantised_panel_width) {
      backoff_ = 1;
      return true;
    }
    // The fraction of candidates decreases like 1 / s, so that an earlier try would rarely succeed.
    next_panel_ = s + backoff_;
    backoff_ *= 2;
    return false;
  }

  /// The users with a candidate in the last panel, and a bit for each of its candidates.
  [[nodiscard]] std::span<const std::size_t> with_candidates() const noexcept {
    return std::span(with_candidates_).first(with_candidates_count_);
  }
  [[nodiscard]] std::uint64_t bits(std::size_t r) const noexcept { return bits_[r]; }

  /// Queues an item of user r for scoring, and prefetches its row.
  void enqueue(std::size_t r, Index item, TopK<float>& best) {
    prefetch(items_->row(item), dim_);
    queues_[r].items[queues_[r].size++] = item;
    if (queues_[r].size == group_size) flush(r, best);
  }

  /// Scores the queued items of user r and pushes them.
  void flush(std::size_t r, TopK<float>& best) {
    Queue& queue = queues_[r];
    if (queue.size == 0) return;
    const float* rows[group_size];
    for (std::size_t j = 0; j < group_size; ++j) {
      rows[j] = items_->row(queue.items[std::min(j, queue.size - 1)]);
    }
    float scores[group_size];
    dot_products<Isa>(scores, rows_ + r * dim_, rows, dim_);
    for (std::size_t j = 0; j < queue.size; ++j) best.push(queue.items[j], scores[j]);
    queue.size = 0;
    raise_threshold(r, best.threshold());
  }

  /// From here on, only items whose score may be at least this are candidates.
  void raise_threshold(std::size_t r, float score) noexcept {
    quantised_rows_[r].raise_threshold(score / scale_[r]);
  }

 private:
  // So many sums at a time hide the latency of the multiply-add.
  static constexpr std::size_t group_size = 8;

  struct Queue {
    std::size_t size = 0;
    Index items[group_size];
  };

  const QuantisedItems* items_;
  const float* rows_;
  std::size_t dim_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scale_;
  std::vector<QuantisedRow> quantised_rows_;
  std::vector<std::int32_t> pruning_limits_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> with_candidates_;
  std::size_t with_candidates_count_ = 0;
  std::vector<Queue> queues_;
  std::size_t next_panel_ = 1;
  std::size_t backoff_ = 1;
};

}  // namespace prism::inline PRISM_ISA::detail
