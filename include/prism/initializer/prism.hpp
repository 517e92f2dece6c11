// SPDX-License-Identifier: BSD-3-Clause
// PRISM: popularity encoded in embedding magnitudes once, before training, in place of weight
// decay. "On the Role of Weight Decay in Collaborative Filtering: A Popularity Perspective", KDD
// 2025.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/initializer/xavier.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/label.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// PRISM's alpha: a constant of the type, which takes no memory, or a member.
template <real Alpha>
struct PrismAlpha {
  static_assert(Alpha.value >= 0 && Alpha.value < 1e300,
                "PRISM<alpha>: alpha must be a finite number of at least 0");
  static constexpr double value = Alpha.value;
};
template <real Alpha>
requires(Alpha.is_dynamic) struct PrismAlpha<Alpha> {
  double value = 1;
};

}  // namespace detail

/// The initial magnitude of a row of popularity d: alpha * log(d + 2) + 1 - alpha (the paper).
[[nodiscard]] inline double prism_magnitude(double alpha, double popularity) {
  return alpha * std::log(popularity + 2.0) + (1.0 - alpha);
}

/// Scales the unit rows of `Base` to prism_magnitude(alpha, training popularity). With alpha = 0
/// all magnitudes are 1; the greater alpha, the more they grow with popularity.
///
/// @tparam Alpha  a finite number of at least 0; or `dynamic`: `PRISM<dynamic>(0.5)`
/// @tparam Base   initializer of the rows' directions
template <real Alpha = 1.0, class Base = Xavier>
class PRISM {
  static_assert(check_initializer<Base>(),
                "PRISM: argument 2 (Base) is not an initializer such as Xavier; "
                "prism/policy/initializer.hpp lists the requirements");

 public:
  static constexpr std::string_view name = "PRISM";

  constexpr PRISM() = default;
  constexpr explicit PRISM(Base base) requires(!Alpha.is_dynamic) : base_(std::move(base)) {}
  /// @throws ArgumentError  if alpha is below 0 or not finite
  explicit PRISM(double alpha, Base base = {}) requires(Alpha.is_dynamic)
      : alpha_{alpha}, base_(std::move(base)) {
    require_non_negative("alpha", alpha);
  }

  [[nodiscard]] constexpr double alpha() const noexcept { return alpha_.value; }
  /// @throws ArgumentError  if alpha is below 0 or not finite
  void set_alpha(double alpha) requires(Alpha.is_dynamic) {
    require_non_negative("alpha", alpha);
    alpha_.value = alpha;
  }

  /// @throws ArgumentError  for an option of the base outside its domain
  void check() const { check_options(base_); }

  /// The name with its alpha: "PRISM<0.5>".
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + format_number(alpha()) + ">";
  }

  template <Execution X, class T>
  void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
                  const Random& random) const {
    using Isa = typename X::isa;
    base_(exec, table, popularity, random);
    constexpr std::size_t grain = 256;
    parallel_chunks(exec, table.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        normalise<Isa>(table[r], table[r], table.dim());
        const double magnitude = prism_magnitude(alpha(), popularity[r]);
        scale<Isa>(table[r], static_cast<T>(magnitude), table[r], table.dim());
      }
    });
  }

 private:
  [[no_unique_address]] detail::PrismAlpha<Alpha> alpha_;
  [[no_unique_address]] Base base_;
};

static_assert(InitializerPolicy<PRISM<0.5>>);
static_assert(InitializerPolicy<PRISM<dynamic>>);

}  // namespace prism::inline PRISM_ISA
