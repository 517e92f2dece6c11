// SPDX-License-Identifier: BSD-3-Clause
// The instruction set of the compiler's flags as text.
#pragma once

#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

#define PRISM_TEXT_OF(name) #name
#define PRISM_TEXT_OF_VALUE(macro) PRISM_TEXT_OF(macro)

/// What PRISM_ISA stands for, without "compiled_for_": "avx2_fma", "avx512_vnni", "amx".
inline constexpr std::string_view instruction_set =
    std::string_view(PRISM_TEXT_OF_VALUE(PRISM_ISA)).substr(sizeof "compiled_for_" - 1);

#undef PRISM_TEXT_OF_VALUE
#undef PRISM_TEXT_OF

}  // namespace prism::inline PRISM_ISA
