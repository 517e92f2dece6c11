// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/ops/ declares, and templates that it lists in compiled.hpp.
#include "prism/ops/compiled.hpp"
