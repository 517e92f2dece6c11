// SPDX-License-Identifier: BSD-3-Clause
// The best items of a user, kept while scores are made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/simd.hpp"

namespace prism::inline PRISM_ISA {

/// An item and its score.
template <class T>
struct Scored {
  Index item;
  T score;
  friend bool operator==(const Scored&, const Scored&) = default;
};

/// The k best of the items offered, best first. Items are offered in ascending order, so that equal
/// scores leave the lower id in front; -infinity and not-a-number never enter.
template <class T>
class TopK {
 public:
  explicit TopK(std::size_t k) : k_(k) { best_.reserve(k + 1); }

  void clear() noexcept { best_.clear(); }
  [[nodiscard]] std::span<const Scored<T>> best() const noexcept { return best_; }

  /// A score has to be greater than this to enter.
  [[nodiscard]] T threshold() const noexcept {
    return best_.size() < k_ ? -std::numeric_limits<T>::infinity() : best_.back().score;
  }

  void offer(Index item, T score) {
    if (!(score > threshold())) return;
    const auto place =
        std::upper_bound(best_.begin(), best_.end(), score,
                         [](T value, const Scored<T>& kept) { return value > kept.score; });
    best_.insert(place, {item, score});
    if (best_.size() > k_) best_.pop_back();
  }

  /// Offers items first, first + 1, ... with these scores.
  template <class Isa = isa::native>
  void offer_all(Index first, const T* scores, std::size_t n) {
    // Past the first few hundred items nearly every pack falls below the threshold as a whole.
    for_each_pack<Isa, T>(n, [&]<class P>(std::type_identity<P>, std::size_t i) {
      if (!any_greater(P::load(scores + i), P::broadcast(threshold()))) return;
      for (std::size_t j = i; j < i + P::width; ++j) {
        offer(first + static_cast<Index>(j), scores[j]);
      }
    });
  }

 private:
  std::size_t k_;
  std::vector<Scored<T>> best_;
};

}  // namespace prism::inline PRISM_ISA
