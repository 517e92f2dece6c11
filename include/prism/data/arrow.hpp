// SPDX-License-Identifier: BSD-3-Clause
// Apache Arrow's C data interface, without Arrow's library: interactions in and out, tables out.
#pragma once

#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_export.hpp"
#include "prism/data/arrow_read.hpp"
