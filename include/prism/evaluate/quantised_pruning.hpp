// SPDX-License-Identifier: BSD-3-Clause
// Exact screening: products of bytes tell which items can be among a user's best, and only those
// are scored. What is left out would not have entered, so that the ranking stays the same.
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

/// What screening goes by: an instruction set that multiplies bytes, or else plain loops.
template <class Isa>
using PruningIsa = std::conditional_t<has_byte_dot_product<Isa>, Isa, isa::scalar>;

/// The items as bytes, and their scoring rows one by one.
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
  /// Stripe s.
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
  // A stripe each: one row that is not finite leaves no telling of the other 63, and one that is
  // very long loosens their bounds.
  std::vector<Quantisation> quantisations_;
};

/// A block of users as bytes, and for each the items that passed and wait for their scores.
template <class Isa>
class QuantisedUsers {
 public:
  /// @param rows  users x dim, in place for as long as this lives
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

  /// Screens stripe s.
  /// @return whether so few of its items pass that going on with with_candidates() is worth while
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
      users += bits_[r] != 0 ? 1 : 0;  // a branch would be guessed wrong too often
    }
    with_candidates_count_ = users;
    // To score an item by itself costs as much as to score this many in a row.
    constexpr std::size_t single_score_cost = 16;
    if (items * single_score_cost <= bits_.size() * quantised_panel_width) {
      backoff_ = 1;
      return true;
    }
    // The share falls off as 1 / s, so that sooner is seldom of use.
    next_panel_ = s + backoff_;
    backoff_ *= 2;
    return false;
  }

  /// The users for whom an item of the last stripe passed, and a bit for each such item.
  [[nodiscard]] std::span<const std::size_t> with_candidates() const noexcept {
    return std::span(with_candidates_).first(with_candidates_count_);
  }
  [[nodiscard]] std::uint64_t bits(std::size_t r) const noexcept { return bits_[r]; }

  /// Takes an item of user r on for its score, to be fetched until then.
  void enqueue(std::size_t r, Index item, TopK<float>& best) {
    prefetch(items_->row(item), dim_);
    queues_[r].items[queues_[r].size++] = item;
    if (queues_[r].size == group_size) flush(r, best);
  }

  /// Scores what waits for user r and offers it.
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

  /// Lets pass only what may be as great as this.
  void raise_threshold(std::size_t r, float score) noexcept {
    quantised_rows_[r].raise_threshold(score / scale_[r]);
  }

 private:
  // As many sums at once hide the latency of the multiply-add.
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
