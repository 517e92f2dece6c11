// SPDX-License-Identifier: BSD-3-Clause
// A pair's scores, as a loss sees them. On a device a warp's lanes share the work: all of them call
// the same functions in the same order, and get the same results.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/softmax.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Calls visit(pack, packs of `others`...) for each pack of x, which visit may modify; returns the
/// sum of the results.
template <class Isa, class T, class Visit, class... Others>
[[nodiscard]] PRISM_HOST_DEVICE T sum_of_packs(T* x, std::size_t n, const Visit& visit,
                                               const Others*... others) noexcept {
  using P = Pack<T, Isa>;
  const std::size_t pack_end = n - n % P::width;
  P total = P::broadcast(0);
  for (std::size_t j = 0; j < pack_end; j += P::width) {
    P numbers = P::load(x + j);
    total = total + visit(numbers, P::load(others + j)...);
    numbers.store(x + j);
  }
  T single_sum = 0;
  if constexpr (!Lanes<Isa>::are_threads) {
    // A pack takes as long as a few single numbers.
    constexpr std::size_t few = 2;
    if (const std::size_t left = n - pack_end; left > few) {
      P numbers = PackTraits<P>::load_first(x + pack_end, left, T{0});
      const P terms = visit(numbers, PackTraits<P>::load_first(others + pack_end, left, T{0})...);
      PackTraits<P>::store_first(numbers, x + pack_end, left);
      T stored_terms[P::width];
      terms.store(stored_terms);
      for (std::size_t j = 0; j < left; ++j) single_sum += stored_terms[j];
      return sum(total) + single_sum;
    }
  }
  for (std::size_t j = pack_end + Lanes<Isa>::first(); j < n; j += Lanes<Isa>::step()) {
    Pack<T, isa::scalar> number{x[j]};
    single_sum += visit(number, Pack<T, isa::scalar>{others[j]}...).value;
    x[j] = number.value;
  }
  return sum(total) + Lanes<Isa>::sum(single_sum);
}

}  // namespace detail

/// Scores that a loss replaces by their derivatives.
template <class T, class Isa>
class ScoreRange {
 public:
  PRISM_HOST_DEVICE ScoreRange(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  [[nodiscard]] PRISM_HOST_DEVICE std::size_t size() const noexcept { return size_; }
  [[nodiscard]] PRISM_HOST_DEVICE T* data() const noexcept { return data_; }
  [[nodiscard]] PRISM_HOST_DEVICE T operator[](std::size_t j) const noexcept { return data_[j]; }

  /// Calls visit(j, score) for each score, which visit may modify.
  template <class Visit>
  PRISM_HOST_DEVICE void for_each(const Visit& visit) const noexcept {
    Lanes<Isa>::synchronise();
    for (std::size_t j = Lanes<Isa>::first(); j < size_; j += Lanes<Isa>::step()) {
      visit(j, data_[j]);
    }
    Lanes<Isa>::synchronise();
  }
  /// Returns the sum of visit(j, score), of type Sum, over all scores, which visit may modify.
  template <class Sum, class Visit>
  [[nodiscard]] PRISM_HOST_DEVICE Sum sum_of(const Visit& visit) const noexcept {
    Sum sum = 0;
    for_each([&](std::size_t j, T& score) { sum += visit(j, score); });
    return Lanes<Isa>::sum(sum);
  }
  /// Calls visit(scores) for each pack, a Pack<T, Isa> or a single number as Pack<T, isa::scalar>,
  /// which visit may modify; returns the sum over the packs that visit returns.
  /// @param others  arrays of the same size, whose packs visit receives after the scores
  template <class Visit, class... Others>
  [[nodiscard]] PRISM_HOST_DEVICE T sum_of_packs(const Visit& visit,
                                                 const Others*... others) const noexcept {
    Lanes<Isa>::synchronise();
    const T sum = detail::sum_of_packs<Isa>(data_, size_, visit, others...);
    Lanes<Isa>::synchronise();
    return sum;
  }
  [[nodiscard]] PRISM_HOST_DEVICE T sum() const noexcept {
    return sum_of_packs([](auto& scores) { return scores; });
  }

  PRISM_HOST_DEVICE void fill(T number) const noexcept {
    for_each([=](std::size_t, T& score) { score = number; });
  }
  PRISM_HOST_DEVICE void multiply(T factor) const noexcept {
    Lanes<Isa>::synchronise();
    scale<Isa>(data_, factor, data_, size_);
  }
  /// The largest score; there must be at least one.
  [[nodiscard]] PRISM_HOST_DEVICE T largest() const noexcept {
    return largest_element<Isa>(data_, size_);
  }
  /// Replaces each score by exp(inverse_temperature * (score - maximum)); returns the sum.
  /// @param maximum  of all scores, so that no exponential overflows
  PRISM_HOST_DEVICE T softmax_terms(T inverse_temperature, T maximum) const noexcept {
    Lanes<Isa>::synchronise();
    return prism::softmax_terms<Isa>(data_, inverse_temperature, maximum, size_);
  }
  /// The number of scores that are not masked.
  [[nodiscard]] PRISM_HOST_DEVICE std::size_t count_unmasked() const noexcept {
    return sum_of<std::size_t>(
        [](std::size_t, const T& score) -> std::size_t { return score > masked_score<T> ? 1 : 0; });
  }

 private:
  T* data_;
  std::size_t size_;
};

/// The scores of a pair's positive item and of its negatives.
template <class T, class Isa>
class PairScores {
 public:
  /// @param data  the positive item's score, then the negatives'
  PRISM_HOST_DEVICE PairScores(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  [[nodiscard]] PRISM_HOST_DEVICE T positive() const noexcept {
    const T score = data_[0];
    Lanes<Isa>::synchronise();
    return score;
  }
  PRISM_HOST_DEVICE void set_positive(T number) const noexcept {
    Lanes<Isa>::once([=, to = data_] { to[0] = number; });
  }
  [[nodiscard]] PRISM_HOST_DEVICE ScoreRange<T, Isa> negatives() const noexcept {
    return {data_ + 1, size_ - 1};
  }
  /// All scores, the positive item's first.
  [[nodiscard]] PRISM_HOST_DEVICE ScoreRange<T, Isa> all() const noexcept { return {data_, size_}; }

 private:
  T* data_;
  std::size_t size_;
};

namespace detail {

/// A pair's part of a loss, from a function that takes PairScores or a std::span of scores.
template <class Isa, class T, class PerPair>
PRISM_HOST_DEVICE double pair_part(const PerPair& per_pair, std::size_t p, T* scores,
                                   std::size_t size) {
  if constexpr (std::is_invocable_v<const PerPair&, std::size_t, PairScores<T, Isa>>) {
    return per_pair(p, PairScores<T, Isa>(scores, size));
  } else {
    double part = 0;
    Lanes<Isa>::once([&] { part = per_pair(p, std::span<T>(scores, size)); });
    return Lanes<Isa>::sum(part);
  }
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
