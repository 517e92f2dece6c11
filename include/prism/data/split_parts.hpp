// SPDX-License-Identifier: BSD-3-Clause
// What a split is, for headers and programs that take one and make none.
#pragma once

#include "prism/core/config.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// Three parts of one data set: the same users, items and ids, and no interaction in two of them.
struct Split {
  Interactions train;
  Interactions validation;
  Interactions test;
};

}  // namespace prism::inline PRISM_ISA
