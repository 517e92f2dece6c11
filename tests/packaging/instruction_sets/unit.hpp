// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The instruction set a unit was compiled for, and the result of a small training.
struct Outcome {
  std::string instruction_set;
  std::size_t floats_at_once;
  int largest_byte;  ///< of a query, in sums of products of bytes
  bool tile_unit;
  double loss;
  std::vector<std::uint32_t> items;
};

Outcome baseline_unit();
Outcome avx2_unit();
Outcome avx_vnni_unit();
Outcome avx512_unit();
Outcome avx512_vnni_unit();
Outcome amx_unit();
