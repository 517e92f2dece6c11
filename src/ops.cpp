// SPDX-License-Identifier: BSD-3-Clause
// What prism/ops/ has that needs no policy, for the target prism::compiled.
#define PRISM_INSTANTIATE

#include "prism/ops/compiled.hpp"
