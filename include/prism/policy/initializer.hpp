// SPDX-License-Identifier: BSD-3-Clause
// An initializer gives a table its starting values.
#pragma once

#include <concepts>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA {

// struct MyInitializer {
//   static constexpr std::string_view name = "MyInitializer";
//   // Fills a table. popularity[r] is how many training interactions row r has; `random` is the
//   // table's own sequence of draws.
//   template <class T, Execution X>
//   void operator()(const X& exec, Rows<T> table, std::span<const Index> popularity,
//                   const Random& random) const;
// };
template <class I, class T = double>
concept InitializerPolicy = std::copyable<I> &&
    requires(const I& initializer, Rows<T> table, std::span<const Index> popularity,
             const Random& random) {
  { I::name } -> std::convertible_to<std::string_view>;
  {initializer(par, table, popularity, random)};
};

}  // namespace prism::inline PRISM_ISA
