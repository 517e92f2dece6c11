// SPDX-License-Identifier: BSD-3-Clause
// Units compiled for different instruction sets, in one program: each keeps its own code, and all
// have the same result. If they shared a template's code, two would report the same set.
#include <cpuid.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <tuple>

#include "unit.hpp"

namespace {

// __builtin_cpu_supports() of g++ 12 does not know these. Leaf 7, subleaf 1, eax, bit 4.
bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
}
/// Leaf 7, edx, bits 22 (bfloat16) and 24 (tiles).
bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 22 & edx >> 24 & 1) != 0;
}

}  // namespace

int main() {
  std::vector<Outcome> outcomes{baseline_unit()};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    outcomes.push_back(avx2_unit());
    if (has_avx_vnni()) outcomes.push_back(avx_vnni_unit());
  }
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    outcomes.push_back(avx512_unit());
    if (__builtin_cpu_supports("avx512vnni")) outcomes.push_back(avx512_vnni_unit());
    if (has_amx()) outcomes.push_back(amx_unit());
  }
  std::set<std::tuple<std::size_t, int, bool>> kinds;
  bool same = true;
  for (const Outcome& outcome : outcomes) {
    std::printf("%s: %zu floats at once, loss %.8f\n", outcome.instruction_set.c_str(),
                outcome.floats_at_once, outcome.loss);
    kinds.insert({outcome.floats_at_once, outcome.largest_byte, outcome.tile_unit});
    // They differ only by rounding.
    same = same && std::abs(outcome.loss - outcomes[0].loss) < 1e-4 &&
           outcome.items == outcomes[0].items;
  }
  return same && kinds.size() == outcomes.size() ? 0 : 1;
}
