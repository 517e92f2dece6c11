// SPDX-License-Identifier: BSD-3-Clause
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#include <prism/core/parallel.hpp>

const int least = std::min(1, 2);
