// SPDX-License-Identifier: BSD-3-Clause
// The k items of the highest scores, updated as scores are computed.
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
#include "prism/kernel/pack.hpp"
#include "prism/kernel/scored_item.hpp"

namespace prism::inline PRISM_ISA {

/// The k best of the items pushed, best first. Items are pushed in ascending order, so that of
/// equal scores the lower id ranks first; -infinity and NaN never enter.
template <class T>
class TopK {
 public:
  explicit TopK(std::size_t k) : k_(k) { best_.reserve(k); }

  void clear() noexcept { best_.clear(); }
  [[nodiscard]] std::span<const ScoredItem<T>> best() const noexcept { return best_; }

  /// Only a greater score enters.
  [[nodiscard]] T threshold() const noexcept {
    return best_.size() < k_ ? -unbounded<T> : best_.back().score;
  }

  void push(Index item, T score) {
    if (!(score > threshold())) return;
    if (best_.size() < k_) best_.emplace_back();
    // Lower scores move down by one, and the last one is dropped. Half of the branches of a binary
    // search would be mispredicted; here most are predicted, and eight entries move at once.
    ScoredItem<T>* const front = best_.data();
    ScoredItem<T>* position = front + best_.size() - 1;
    constexpr std::ptrdiff_t stride = 8;
    for (; position - front >= stride && position[-stride].score < score; position -= stride) {
      std::copy_backward(position - stride, position, position + 1);
    }
    for (; position != front && position[-1].score < score; --position) *position = position[-1];
    *position = {item, score};
  }

  /// Pushes items first, first + 1, ... with these n scores.
  template <class Isa = isa::native>
  void push_all(Index first, const T* scores, std::size_t n) {
    // After the first few hundred items nearly every pack is below the threshold as a whole.
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P>, std::size_t i) {
      const P pack = P::load(scores + i), least = P::broadcast(threshold());
      if (!any_greater(pack, least)) return;
      for (std::uint64_t bits = not_less_equal_mask(pack, least); bits != 0; bits &= bits - 1) {
        const std::size_t j = i + static_cast<std::size_t>(std::countr_zero(bits));
        push(first + static_cast<Index>(j), scores[j]);
      }
    });
  }

 private:
  std::size_t k_;
  std::vector<ScoredItem<T>> best_;
};

}  // namespace prism::inline PRISM_ISA
