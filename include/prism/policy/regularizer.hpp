// SPDX-License-Identifier: BSD-3-Clause
// A regularizer determines the weight decay of each row.
#pragma once

#include <concepts>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct MyRegularizer {
//   static constexpr std::string_view name = "MyRegularizer";
//   // The decay lambda of a row; lambda * row is added to its gradient: coupled (L2), as in the
//   // paper. active: whether the row is in the batch, as a positive or a negative.
//   double weight_decay(bool active) const;
//   // Or: a decay that depends on how many training interactions the row's user or item has; 0 for
//   // parameters that belong to neither.
//   double weight_decay(bool active, Index popularity) const;
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
// };

namespace detail {

template <class R>
concept HasWeightDecay = requires(const R& regularizer, bool active) {
  { regularizer.weight_decay(active) } -> std::convertible_to<double>;
};

/// Converts to Index and nothing else, so that a second parameter of another meaning, such as a
/// factor with a default, is not mistaken for the popularity.
struct AnIndex {
  template <std::same_as<Index> T>
  operator T() const;
};
template <class R>
concept HasWeightDecayByPopularity =
    requires(const R& regularizer, bool active, AnIndex popularity) {
      { regularizer.weight_decay(active, popularity) } -> std::convertible_to<double>;
    };

}  // namespace detail

template <class R>
concept RegularizerPolicy =
    detail::AnyPolicy<R> && (detail::HasWeightDecay<R> || detail::HasWeightDecayByPopularity<R>);

/// A regularizer whose decay depends on a row's popularity.
template <class R>
concept PopularityRegularizer = RegularizerPolicy<R> && detail::HasWeightDecayByPopularity<R>;

/// The decay of a row, whatever the regularizer depends on.
template <RegularizerPolicy R>
[[nodiscard]] constexpr double weight_decay(const R& regularizer, bool active, Index popularity) {
  if constexpr (PopularityRegularizer<R>) {
    return regularizer.weight_decay(active, popularity);
  } else {
    return regularizer.weight_decay(active);
  }
}

/// Whether R is a regularizer. If it is not, the first compiler error names the missing
/// requirement: `static_assert(check_regularizer<MyRegularizer>())`.
template <class R>
[[nodiscard]] consteval bool check_regularizer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(R, "a regularizer");
  static_assert(HasWeightDecay<R> || HasWeightDecayByPopularity<R>,
                "a regularizer must return the decay of a row: double weight_decay(bool active) "
                "const, or double weight_decay(bool active, Index popularity) const");
  return RegularizerPolicy<R>;
}

}  // namespace prism::inline PRISM_ISA
