// SPDX-License-Identifier: BSD-3-Clause
// The k items of the highest scores, updated as scores are computed.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
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

/// The k best of the items pushed, best first. Items may be pushed in any order, each once; among
/// equal scores the lower id ranks first, and -infinity and NaN never enter.
template <class T>
class TopK {
 public:
  /// @param k      at least 1
  /// @param floor  scores below it need not enter: k items with at least this score are known
  explicit TopK(std::size_t k, T floor = -detail::unbounded<T>)
      : k_(k), floor_(floor), below_(just_below(floor)) {
    best_.reserve(k);
  }

  void clear() noexcept {
    best_.clear();
    below_ = just_below(floor_);
  }
  [[nodiscard]] std::span<const ScoredItem<T>> best() const noexcept { return best_; }

  /// Only a score of at least this may enter; an equal one needs a lower id than the last entry.
  [[nodiscard]] T threshold() const noexcept {
    return best_.size() < k_ ? floor_ : best_.back().score;
  }

  /// A number below every score that may enter: a filter for push().
  [[nodiscard]] T below_threshold() const noexcept { return below_; }

  void push(Index item, T score) {
    if (!(score > below_)) return;
    const ScoredItem<T> pushed{item, score};
    if (best_.size() < k_) {
      best_.emplace_back();
    } else if (!ranks_before(pushed, best_.back())) {
      return;
    }
    // Lower scores move down by one, and the last one is dropped. Half of the branches of a binary
    // search would be mispredicted; here most are predicted, and eight entries move at once.
    ScoredItem<T>* const front = best_.data();
    ScoredItem<T>* position = front + best_.size() - 1;
    constexpr std::ptrdiff_t stride = 8;
    for (; position - front >= stride && ranks_before(pushed, position[-stride]);
         position -= stride) {
      std::copy_backward(position - stride, position, position + 1);
    }
    for (; position != front && ranks_before(pushed, position[-1]); --position) {
      *position = position[-1];
    }
    *position = pushed;
    below_ = just_below(threshold());
  }

  /// Calls visit(j) for each of n scores that may enter, ascending; visit may push.
  template <class Isa = isa::native, class Visit>
  void for_each_candidate(const T* scores, std::size_t n, const Visit& visit) const {
    // After the first few hundred items nearly every pack is below the threshold as a whole.
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P>, std::size_t i) {
      const P pack = P::load(scores + i), least = P::broadcast(below_);
      if (!any_greater(pack, least)) return;
      for (std::uint64_t bits = not_less_equal_mask(pack, least); bits != 0; bits &= bits - 1) {
        visit(i + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    });
  }

  /// Pushes items first, first + 1, ... with these n scores.
  template <class Isa = isa::native>
  void push_all(Index first, const T* scores, std::size_t n) {
    for_each_candidate<Isa>(scores, n,
                            [&](std::size_t j) { push(first + static_cast<Index>(j), scores[j]); });
  }

 private:
  [[nodiscard]] static bool ranks_before(const ScoredItem<T>& a, const ScoredItem<T>& b) noexcept {
    return a.score > b.score || (a.score == b.score && a.item < b.item);
  }

  /// The margin is never denormal, because a denormal number might count as zero.
  [[nodiscard]] static T just_below(T score) noexcept {
    using Limits = std::numeric_limits<T>;
    if (!(score > -detail::unbounded<T>)) return -detail::unbounded<T>;
    if (!(score <= Limits::max())) return Limits::max();  // infinity
    return score - (std::abs(score) * (2 * Limits::epsilon()) + Limits::min());
  }

  std::size_t k_;
  T floor_;
  T below_;
  std::vector<ScoredItem<T>> best_;
};

}  // namespace prism::inline PRISM_ISA
