// SPDX-License-Identifier: BSD-3-Clause
// The k highest of a row's scores, found by the lanes of a warp together. The list is in memory, so
// registers do not limit k; top_k.hpp has the host version.
#pragma once

#include <cstddef>
#include <cstdint>

#include "prism/core/bits.hpp"
#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// first[j + 1] = first[j] for j < count, at most a pack of numbers.
template <class Isa, class Number>
PRISM_HOST_DEVICE inline void move_up_by_one(Number* first, std::size_t count) noexcept {
  using P = Pack<Number, Isa>;
  const P moved = PackTraits<P>::load_first(first, count, Number{0});
  Lanes<Isa>::synchronise();
  PackTraits<P>::store_first(moved, first + 1, count);
}

/// A list of scores and items, best first, equal scores in the order of their ids. Items are pushed
/// in ascending order; all lanes call push() with the same arguments.
template <class Isa, class T>
class SortedBest {
 public:
  /// @param scores, items  k elements each, at least 1, overwritten
  PRISM_HOST_DEVICE SortedBest(T* scores, Index* items, std::size_t k) noexcept
      : scores_(scores), items_(items), k_(k) {}

  [[nodiscard]] PRISM_HOST_DEVICE std::size_t size() const noexcept { return size_; }
  /// Only a higher score enters: an equal score of a later item ranks behind.
  [[nodiscard]] PRISM_HOST_DEVICE T threshold() const noexcept { return threshold_; }

  PRISM_HOST_DEVICE void push(Index item, T score) noexcept {
    if (!(score > threshold_)) return;
    // If the list is full, its last entry is dropped.
    std::size_t place = size_ < k_ ? size_++ : k_ - 1;
    while (place > 0) {
      const std::size_t begin = place > P::width ? place - P::width : 0;
      const P entries = PackTraits<P>::load_first(scores_ + begin, place - begin, unbounded<T>);
      const std::size_t lower = count_ones(not_less_equal_mask(P::broadcast(score), entries));
      place -= lower;
      move_up_by_one<Isa>(scores_ + place, lower);
      move_up_by_one<Isa>(items_ + place, lower);
      if (place > begin) break;
    }
    Lanes<Isa>::once([&] {
      scores_[place] = score;
      items_[place] = item;
    });
    if (size_ == k_) threshold_ = scores_[k_ - 1];
  }

 private:
  using P = Pack<T, Isa>;

  T* scores_;
  Index* items_;
  std::size_t k_;
  std::size_t size_ = 0;
  T threshold_ = -unbounded<T>;
};

/// The k best of n scores, best first, equal scores in the order of their positions; -infinity and
/// NaN never enter. Gives the same list as TopK.
/// @param best, items  k elements each: the scores and their positions
/// @return the number of entries: k, or fewer if there are not enough scores
template <class Isa, class T>
PRISM_HOST_DEVICE inline std::size_t best_of_row(const T* scores, std::size_t n, std::size_t k,
                                                 T* best, Index* items) noexcept {
  using P = Pack<T, Isa>;
  constexpr std::size_t w = P::width;
  if (k == 0) return 0;
  SortedBest<Isa, T> list(best, items, k);
  const auto push_pack = [&](P pack, std::size_t first) {
    // NaN passes the mask, but push() rejects it.
    for (std::uint64_t bits = not_less_equal_mask(pack, P::broadcast(list.threshold())); bits != 0;
         bits &= bits - 1) {
      const std::size_t position = first + lowest_one(bits);
      list.push(static_cast<Index>(position), scores[position]);
    }
  };
  const std::size_t quad_end = n - n % (4 * w);
  for (std::size_t i = 0; i < quad_end; i += 4 * w) {
    // After the first few hundred scores nearly all are below the threshold, and four loads at once
    // hide their latency. max() of packs would lose numbers next to NaN.
    const P least = P::broadcast(list.threshold());
    const int greater = int{any_greater(P::load(scores + i), least)} +
                        int{any_greater(P::load(scores + i + w), least)} +
                        int{any_greater(P::load(scores + i + 2 * w), least)} +
                        int{any_greater(P::load(scores + i + 3 * w), least)};
    if (greater == 0) continue;
    for (std::size_t j = i; j < i + 4 * w; j += w) push_pack(P::load(scores + j), j);
  }
  for (std::size_t i = quad_end; i < n; i += w) {
    const std::size_t count = n - i < w ? n - i : w;
    push_pack(PackTraits<P>::load_first(scores + i, count, -unbounded<T>), i);
  }
  return list.size();
}

}  // namespace prism::inline PRISM_ISA::detail
