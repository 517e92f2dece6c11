// SPDX-License-Identifier: BSD-3-Clause
// Options of recommend().
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"

namespace prism {

/// What a model recommends to users who have no interaction in its training set, whether or not an
/// earlier model had one (warm_start).
enum class Untrained {
  popular,  ///< the most popular items; their scores are popularities
  rows,     ///< what their rows give; as the initializer left them, that is chance
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// Options of recommend().
struct RecommendOptions {
  bool exclude_seen = true;  ///< leave out the items in `seen`
  Similarity similarity = Similarity::dot;
  /// Not read where a scorer is given, since only a model knows what it was trained on.
  Untrained untrained = Untrained::popular;
};

}  // namespace prism::inline PRISM_ISA
