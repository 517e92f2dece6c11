// SPDX-License-Identifier: BSD-3-Clause
// What prism/policy/ has that needs no policy, for the target prism::compiled.
#include "prism/policy/ranking.inl.hpp"
