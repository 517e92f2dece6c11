// SPDX-License-Identifier: BSD-3-Clause
// PRISM: popularity encoded in embedding magnitudes once, before training, in place of weight
// decay. "On the Role of Weight Decay in Collaborative Filtering: A Popularity Perspective", KDD
// 2025.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/initializer/xavier.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/prism_alpha.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// PRISM's alpha as a compile-time constant, which takes no memory.
template <real Alpha>
struct ConstantAlpha {
  [[nodiscard]] constexpr operator double() const noexcept { return Alpha.value; }
};

template <real Alpha>
using AlphaOption = std::conditional_t<Alpha.is_dynamic, double, ConstantAlpha<Alpha>>;

template <real Alpha>
[[nodiscard]] constexpr AlphaOption<Alpha> default_alpha() noexcept {
  if constexpr (Alpha.is_dynamic) {
    return 1;
  } else {
    return {};
  }
}

}  // namespace detail

/// Scales the unit rows of `Base` to scale * prism_magnitude(alpha, training popularity). With
/// alpha = 0 all magnitudes are equal; the larger alpha, the more they grow with popularity. A
/// scale other than the paper's 1 keeps their ratios: `PRISM<1.0>{.scale = 0.02}`. Use a small
/// scale for losses whose logits are dot products, which long rows saturate.
///
/// @tparam Alpha  from 0 to max_prism_alpha; or `dynamic`: `PRISM<dynamic>{.alpha = 0.5}`
/// @tparam Base   initializer of the rows' directions
template <real Alpha = 1.0, class Base = Xavier>
struct PRISM {
  static_assert(Alpha.is_dynamic || (Alpha.value >= 0 && Alpha.value <= max_prism_alpha),
                "PRISM<alpha>: alpha must be from 0 to 3.25; above that, the magnitude for "
                "popularity 0 would "
                "be negative");
  static_assert(check_initializer<Base>(),
                "PRISM: argument 2 (Base) is not an initializer such as Xavier; "
                "prism/policy/initializer.hpp lists the requirements");

  static constexpr std::string_view name = "PRISM";

  /// From 0 to max_prism_alpha; an option only if Alpha is `dynamic`, with default 1.
  [[no_unique_address]] detail::AlphaOption<Alpha> alpha = detail::default_alpha<Alpha>();
  double scale = 1;  ///< finite, above 0
  [[no_unique_address]] Base base{};

  static constexpr auto options = option_table(option<&PRISM::alpha>("alpha", prism_alpha_domain),
                                               option<&PRISM::scale>("scale", domain::positive));

  /// "PRISM<0.5>"; with a scale other than 1: "PRISM<0.5, scale 0.2>".
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + format_number(alpha) +
           (scale == 1 ? "" : ", scale " + format_number(scale)) + ">";
  }

  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
                  const Random& random) const {
    using Isa = typename X::isa;
    base(exec, table, popularity, random);
    constexpr std::size_t grain = 256;
    parallel_chunks(exec, table.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        normalise<Isa>(table[r], table[r], table.dim());
        const double magnitude = scale * prism_magnitude(alpha, popularity[r]);
        prism::scale<Isa>(table[r], static_cast<T>(magnitude), table[r], table.dim());
      }
    });
  }
};

static_assert(InitializerPolicy<PRISM<0.5>>);
static_assert(InitializerPolicy<PRISM<dynamic>>);

}  // namespace prism::inline PRISM_ISA
