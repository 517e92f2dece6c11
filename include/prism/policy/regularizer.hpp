// SPDX-License-Identifier: BSD-3-Clause
// A regularizer says which rows decay.
#pragma once

#include <concepts>

#include "prism/core/config.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct MyRegularizer {
//   static constexpr std::string_view name = "MyRegularizer";
//   // The decay of a row, which its gradient gets as decay * row: coupled (L2), as in the paper.
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

/// Whether R is a regularizer; if it is none, the first error says in words what it lacks:
/// `static_assert(check_regularizer<MyRegularizer>())`.
template <class R>
[[nodiscard]] consteval bool check_regularizer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(R, "a regularizer");
  static_assert(SaysDecay<R>,
                "a regularizer must say how a row decays: double weight_decay(bool in_batch) "
                "const");
  return RegularizerPolicy<R>;
}

}  // namespace prism::inline PRISM_ISA
