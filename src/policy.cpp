// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/policy/ declares.
#include "prism/policy/ranking.inl.hpp"
