// SPDX-License-Identifier: BSD-3-Clause
// What prism/optimizer/ has that needs no policy, for the target prism::compiled.
#define PRISM_INSTANTIATE

#include "prism/optimizer/compiled.hpp"
