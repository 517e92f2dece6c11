// SPDX-License-Identifier: BSD-3-Clause
#include <string>

// As in windows.h.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#include <prism/prism.hpp>
