// SPDX-License-Identifier: BSD-3-Clause
// The templates that prism/model/compiled.hpp lists.
#include "prism/model/compiled.hpp"
