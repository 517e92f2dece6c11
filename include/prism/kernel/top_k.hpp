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

/// The k best of the items offered, best first, equal scores by ascending item; -infinity and
/// not-a-number never enter. Items are offered in ascending order. Candidates gather until there
/// are enough to be worth sorting out, so that one costs the same whatever k is.
template <class T>
class TopK {
 public:
  explicit TopK(std::size_t k) : k_(k) { kept_.reserve(most()); }

  /// The best so far, sorted.
  [[nodiscard]] std::span<const Scored<T>> best() {
    if (kept_.size() > k_) sort_out();
    std::ranges::sort(kept_, before);
    return kept_;
  }

  /// A score has to be greater than this to enter.
  [[nodiscard]] T threshold() const noexcept { return threshold_; }

  void offer(Index item, T score) {
    if (!(score > threshold_)) return;
    kept_.push_back({item, score});
    if (kept_.size() == most()) sort_out();
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
  static bool before(const Scored<T>& a, const Scored<T>& b) noexcept {
    return a.score > b.score || (a.score == b.score && a.item < b.item);
  }

  /// As many candidates as gather at most.
  [[nodiscard]] std::size_t most() const noexcept { return k_ + std::max<std::size_t>(k_, 32); }

  /// Leaves the k best, and asks more of those to come. Those have higher ids: a score that equals
  /// the last one's stays out.
  void sort_out() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::ranges::nth_element(kept_, last, before);
    kept_.resize(k_);
    threshold_ = last->score;
  }

  std::size_t k_;  // at least 1
  T threshold_ = -std::numeric_limits<T>::infinity();
  std::vector<Scored<T>> kept_;
};

}  // namespace prism::inline PRISM_ISA
