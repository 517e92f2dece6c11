// SPDX-License-Identifier: BSD-3-Clause
// The parts of a split, for headers and programs that use a split but do not make one.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// Three parts of one data set: the same users, items and ids, and no interaction in two of them.
struct Split {
  Interactions train;
  Interactions validation;
  Interactions test;
};

/// The number of interactions of a validation or test set whose user or item has no interaction in
/// the training set, whose row therefore stays as initialised.
/// @param train, part  of the same users and items
[[nodiscard]] inline std::size_t count_not_in_training(const Interactions& train,
                                                       const Interactions& part) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < part.size(); ++k) {
    const bool known =
        train.user_degree()[part[k].user] > 0 && train.item_degree()[part[k].item] > 0;
    count += known ? 0 : 1;
  }
  return count;
}

namespace detail {

/// Whether two parts have an interaction in common. Quicker if `a` is the smaller part.
/// @param a, b  of the same users and items
[[nodiscard]] inline bool have_common_interaction(const Interactions& a, const Interactions& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (b.contains(a[k].user, a[k].item)) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
