// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// How many users and items of a model an earlier one knew, see warm_start().
struct KnownRows {
  Index users = 0;
  Index items = 0;
};

}  // namespace prism::inline PRISM_ISA
