// SPDX-License-Identifier: BSD-3-Clause
// What recommend() may recommend, and how it compares.
#pragma once

#include "prism/core/config.hpp"
#include "prism/evaluate/similarity.hpp"

namespace prism::inline PRISM_ISA {

struct RecommendOptions {
  bool exclude_seen = true;  ///< leave out the items in `seen`
  Similarity similarity = Similarity::dot;
};

}  // namespace prism::inline PRISM_ISA
