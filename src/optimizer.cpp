// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/optimizer/ declares, and templates that it lists in compiled.hpp.
#include "prism/optimizer/compiled.hpp"
