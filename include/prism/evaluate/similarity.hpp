// SPDX-License-Identifier: BSD-3-Clause
// How ranking compares output rows.
#pragma once

#include "prism/core/config.hpp"

namespace prism {

/// How ranking compares the output rows of a user and an item.
enum class Similarity { dot, cosine };

}  // namespace prism
