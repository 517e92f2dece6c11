// SPDX-License-Identifier: BSD-3-Clause
// The functions of each unit: one throws, the other catches what the other unit throws.
#pragma once

#include <cstddef>

/// Only these functions are exported from a shared library on purpose.
#define SIDE __attribute__((visibility("default")))

enum class Thrown { error, argument, data, whole_file, divergence, by_the_library };
inline constexpr Thrown every_thrown[] = {Thrown::error,      Thrown::argument,
                                          Thrown::data,       Thrown::whole_file,
                                          Thrown::divergence, Thrown::by_the_library};

using Throws = void (*)(Thrown);

SIDE void baseline_throws(Thrown what);
SIDE void avx2_throws(Thrown what);

/// How many of every_thrown are caught unchanged, as their own type and as prism::Error.
SIDE std::size_t baseline_catches(Throws throws);
SIDE std::size_t avx2_catches(Throws throws);
