// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// The score of a masked negative, in place of its own: so low that no loss over scores counts it.
/// It is finite because infinities are undefined behaviour under -ffast-math.
template <class T>
inline constexpr T masked_score = T(-1e30);

}  // namespace prism::inline PRISM_ISA
