// SPDX-License-Identifier: BSD-3-Clause
// A regularizer determines the weight decay of each row.
#pragma once

#include <concepts>

#include "prism/core/config.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct MyRegularizer {
//   static constexpr std::string_view name = "MyRegularizer";
//   // The decay lambda of a row; lambda * row is added to its gradient: coupled (L2), as in the
//   // paper. in_batch: whether the row is active.
//   double weight_decay(bool in_batch) const;
//   // Optional: label() and check(), see label.hpp.
// };

namespace detail {

template <class R>
concept SaysDecay = requires(const R& regularizer, bool in_batch) {
  { regularizer.weight_decay(in_batch) } -> std::convertible_to<double>;
};

}  // namespace detail

template <class R>
concept RegularizerPolicy = detail::AnyPolicy<R> && detail::SaysDecay<R>;

/// Whether R is a regularizer. If it is not, the first compiler error names the missing
/// requirement: `static_assert(check_regularizer<MyRegularizer>())`.
template <class R>
[[nodiscard]] consteval bool check_regularizer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(R, "a regularizer");
  static_assert(SaysDecay<R>,
                "a regularizer must return the decay of a row: double weight_decay(bool in_batch) "
                "const");
  return RegularizerPolicy<R>;
}

}  // namespace prism::inline PRISM_ISA
