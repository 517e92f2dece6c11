// SPDX-License-Identifier: BSD-3-Clause
// A regularizer says which rows decay.
#pragma once

#include <concepts>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

// struct MyRegularizer {
//   static constexpr std::string_view name = "MyRegularizer";
//   // The decay of a row, which its gradient gets as decay * row: coupled (L2), as in the paper.
//   double weight_decay(bool in_batch) const;
// };
template <class R>
concept RegularizerPolicy = std::copyable<R> && requires(const R& regularizer, bool in_batch) {
  { R::name } -> std::convertible_to<std::string_view>;
  { regularizer.weight_decay(in_batch) } -> std::convertible_to<double>;
};

}  // namespace prism::inline PRISM_ISA
