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
#include "prism/kernel/pack.hpp"
#include "prism/kernel/product.hpp"
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/screen.hpp"
#include "prism/kernel/top_k.hpp"

namespace prism::inline PRISM_ISA::detail {

/// What screening goes by: an instruction set that multiplies bytes, or else plain loops.
template <class Isa>
using ScreeningIsa = std::conditional_t<multiplies_bytes<Isa>, Isa, isa::scalar>;

/// The items as bytes, and their scoring rows one by one.
class ScreenedItems {
 public:
  template <Execution X>
  ScreenedItems(const X& exec, const ItemStripes<float>& items)
      : dim_(items.dim()),
        fours_((dim_ + 3) / 4),
        rows_(items.stripes() * stripe * dim_),
        bytes_(items.stripes() * stripe * 4 * fours_, std::int8_t{0}),
        start_(items.stripes() * stripe),
        quantised_(items.stripes()) {
    parallel_tasks(exec, items.stripes(), [&](std::size_t s) {
      const std::size_t first = s * stripe;
      for (std::size_t column = 0; column < stripe; ++column) {
        float* const row = rows_.data() + (first + column) * dim_;
        for (std::size_t k = 0; k < dim_; ++k) row[k] = items[s][k * stripe + column];
      }
      std::vector<std::int8_t> bytes(stripe * dim_);
      std::vector<float> rest(dim_);
      quantised_[s] = quantise<typename X::isa>(bytes.data(), rows_.data() + first * dim_, stripe,
                                                dim_, rest.data());
      for (std::size_t column = 0; column < stripe; ++column) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < dim_; ++k) {
          const std::int8_t byte = bytes[column * dim_ + k];
          sum += byte;
          bytes_[((s * fours_ + k / 4) * stripe + column) * 4 + k % 4] = byte;
        }
        start_[first + column] = -128 * sum;
      }
    });
  }

  [[nodiscard]] const float* row(std::size_t item) const noexcept {
    return rows_.data() + item * dim_;
  }
  [[nodiscard]] std::size_t fours() const noexcept { return fours_; }
  /// Stripe s.
  [[nodiscard]] ScreenedColumns operator[](std::size_t s) const noexcept {
    const std::size_t first = s * stripe;
    return {bytes_.data() + first * 4 * fours_, start_.data() + first, quantised_[s]};
  }

 private:
  static constexpr std::size_t stripe = ItemStripes<float>::stripe;
  static_assert(stripe == screen_columns);
  template <class T>
  using Array = TableVector<T>;

  std::size_t dim_;
  std::size_t fours_;
  Array<float> rows_;
  Array<std::int8_t> bytes_;
  Array<std::int32_t> start_;
  // A stripe each: one row that is not finite leaves no telling of the other 63, and one that is
  // very long loosens their bounds.
  std::vector<Quantised> quantised_;
};

/// A block of users as bytes, and for each the items that passed and wait for their scores.
template <class Isa>
class ScreenedUsers {
 public:
  /// @param rows  users x dim, in place for as long as this lives
  ScreenedUsers(const ScreenedItems& items, const float* rows, std::size_t users, std::size_t dim)
      : items_(&items),
        rows_(rows),
        dim_(dim),
        bytes_(users * 4 * items.fours()),
        scale_(users),
        screened_(users),
        certain_(users),
        bits_(users),
        passed_(users),
        waiting_(users) {
    std::vector<std::int8_t> bytes(4 * items.fours());
    std::vector<float> rest(dim);
    for (std::size_t r = 0; r < users; ++r) {
      const Quantised quantised = quantise<Isa>(bytes.data(), rows + r * dim, 1, dim, rest.data());
      scale_[r] = quantised.scale;
      screened_[r] = ScreenedRow(quantised);
      for (std::size_t b = 0; b < bytes.size(); ++b) {
        bytes_[r * bytes.size() + b] = static_cast<std::uint8_t>(bytes[b] + 128);
      }
    }
  }

  /// Screens stripe s.
  /// @return whether so few of its items pass that going on with passed() is worth while
  [[nodiscard]] bool try_stripe(std::size_t s) {
    if (s < next_) return false;
    const ScreenedColumns columns = (*items_)[s];
    for (std::size_t r = 0; r < screened_.size(); ++r) {
      certain_[r] = screened_[r].certain(columns.quantised);
    }
    screen<ScreeningIsa<Isa>>(bits_.size(), items_->fours(), bytes_.data(), certain_.data(),
                              columns, bits_.data());
    std::size_t items = 0, users = 0;
    for (std::size_t r = 0; r < bits_.size(); ++r) {
      items += static_cast<std::size_t>(std::popcount(bits_[r]));
      passed_[users] = r;
      users += bits_[r] != 0 ? 1 : 0;  // a branch would be guessed wrong too often
    }
    passed_users_ = users;
    // To score an item by itself costs as much as to score this many in a row.
    constexpr std::size_t by_itself = 16;
    if (items * by_itself <= bits_.size() * screen_columns) {
      pause_ = 1;
      return true;
    }
    // The share falls off as 1 / s, so that sooner is seldom of use.
    next_ = s + pause_;
    pause_ *= 2;
    return false;
  }

  /// The users for whom an item of the last stripe passed, and a bit for each such item.
  [[nodiscard]] std::span<const std::size_t> passed() const noexcept {
    return std::span(passed_).first(passed_users_);
  }
  [[nodiscard]] std::uint64_t bits(std::size_t r) const noexcept { return bits_[r]; }

  /// Takes an item of user r on for its score, to be fetched until then.
  void wait(std::size_t r, Index item, TopK<float>& best) {
    prefetch(items_->row(item), dim_);
    waiting_[r].items[waiting_[r].size++] = item;
    if (waiting_[r].size == together) settle(r, best);
  }

  /// Scores what waits for user r and offers it.
  void settle(std::size_t r, TopK<float>& best) {
    Waiting& waiting = waiting_[r];
    if (waiting.size == 0) return;
    const float* rows[together];
    for (std::size_t j = 0; j < together; ++j) {
      rows[j] = items_->row(waiting.items[std::min(j, waiting.size - 1)]);
    }
    float scores[together];
    products_of_rows<Isa>(scores, rows_ + r * dim_, rows, dim_);
    for (std::size_t j = 0; j < waiting.size; ++j) best.offer(waiting.items[j], scores[j]);
    waiting.size = 0;
    raise_threshold(r, best.threshold());
  }

  /// Lets pass only what may be as great as this.
  void raise_threshold(std::size_t r, float score) noexcept {
    screened_[r].raise_threshold(score / scale_[r]);
  }

 private:
  // As many sums at once hide the latency of the multiply-add.
  static constexpr std::size_t together = 8;

  struct Waiting {
    std::size_t size = 0;
    Index items[together];
  };

  const ScreenedItems* items_;
  const float* rows_;
  std::size_t dim_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> scale_;
  std::vector<ScreenedRow> screened_;
  std::vector<std::int32_t> certain_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> passed_;
  std::size_t passed_users_ = 0;
  std::vector<Waiting> waiting_;
  std::size_t next_ = 1;
  std::size_t pause_ = 1;
};

}  // namespace prism::inline PRISM_ISA::detail
