// SPDX-License-Identifier: BSD-3-Clause
// What prism/experiment/ has that needs no policy, for the target prism::compiled.
#include "prism/experiment/search_space.inl.hpp"
