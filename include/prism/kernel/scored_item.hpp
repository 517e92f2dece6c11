// SPDX-License-Identifier: BSD-3-Clause
// The entries of rankings and recommendations.
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// An item and its score.
template <class T>
struct ScoredItem {
  Index item;
  T score;
  friend bool operator==(const ScoredItem&, const ScoredItem&) = default;
};

}  // namespace prism::inline PRISM_ISA
