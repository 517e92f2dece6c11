// SPDX-License-Identifier: BSD-3-Clause
// An initializer sets the initial values of a table.
#pragma once

#include <concepts>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

// struct MyInitializer {
//   static constexpr std::string_view name = "MyInitializer";
//   // Fills a table. popularity[r] is the number of training interactions of row r; `random` is
//   // the table's random stream.
//   template <class T, Execution X>
//   void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
//                   const Random& random) const;
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
// };

namespace detail {

template <class I, class T, class X>
concept FillsTable =
    requires(const I& initializer, const X& exec, Rows<T> table, std::span<const Index> popularity,
             const Random& random) { initializer(exec, table, popularity, random); };

}  // namespace detail

/// @tparam T  scalar type
/// @tparam X  execution
template <class I, class T = double, class X = Host<>>
concept InitializerPolicy = detail::AnyPolicy<I> && detail::FillsTable<I, T, X>;

#define PRISM_INITIALIZER_OPERATOR                                                 \
  "template <class T, Execution X> void operator()(const X& exec, Rows<T> table, " \
  "std::span<const Index> popularity, const Random& random) const"

/// Whether I is an initializer. If it is not, the first compiler error names the missing
/// requirement: `static_assert(check_initializer<MyInitializer>())`.
template <class I, class T = double, Execution X = Host<>>
[[nodiscard]] consteval bool check_initializer() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(I, "an initializer");
  static_assert(FillsTable<I, T, X> || !FillsTable<I, T, Host<>>,
                "an initializer's operator() must accept every execution, but does not accept this "
                "one: " PRISM_INITIALIZER_OPERATOR);
  static_assert(FillsTable<I, T, X>,
                "an initializer must fill a table: " PRISM_INITIALIZER_OPERATOR);
  return InitializerPolicy<I, T, X>;
}
#undef PRISM_INITIALIZER_OPERATOR

}  // namespace prism::inline PRISM_ISA
