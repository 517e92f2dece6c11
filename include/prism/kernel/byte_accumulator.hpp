// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes, for quantised pruning, with every instruction set that the compiler's
// flags allow. They need only the compiler's intrinsics and do not depend on pack_xsimd.hpp: an
// instruction set has the same accumulator in all translation units.
#pragma once

#include "prism/kernel/byte_accumulator_neon.hpp"
#include "prism/kernel/byte_accumulator_x86.hpp"
#include "prism/kernel/byte_limits.hpp"
