// SPDX-License-Identifier: BSD-3-Clause
// How output rows are compared: by a loss of scores, and by ranking.
#pragma once

#include "prism/core/config.hpp"

namespace prism {

/// The score of a user and an item: the dot product of their output rows, or its cosine.
enum class Similarity { dot, cosine };

}  // namespace prism
