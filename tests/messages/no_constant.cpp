// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>
#include <string_view>

// What a loss says by a function, a backbone says by a constant.
struct Function {
  static constexpr std::string_view name = "Function";
  static constexpr bool needs_all_rows() { return false; }
};

static_assert(!prism::needs_all_rows<Function>());
