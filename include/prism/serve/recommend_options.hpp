// SPDX-License-Identifier: BSD-3-Clause
// Options of recommend().
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"

namespace prism::inline PRISM_ISA {

struct RecommendOptions {
  bool exclude_seen = true;  ///< leave out the items in `seen`
  Similarity similarity = Similarity::dot;
};

}  // namespace prism::inline PRISM_ISA
