// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/experiment/ declares.
#include "prism/experiment/search_space.inl.hpp"
