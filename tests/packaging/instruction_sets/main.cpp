// SPDX-License-Identifier: BSD-3-Clause
// Units compiled for different instruction sets, in one program: each keeps its own code, and all
// have the same result. If they shared a template's code, two would report the same set.
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "unit.hpp"

int main() {
  std::vector<Outcome> outcomes{baseline_unit()};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    outcomes.push_back(avx2_unit());
  }
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    outcomes.push_back(avx512_unit());
    if (__builtin_cpu_supports("avx512vnni")) outcomes.push_back(avx512_vnni_unit());
  }
  std::set<std::pair<std::size_t, bool>> kinds;
  bool same = true;
  for (const Outcome& outcome : outcomes) {
    std::printf("%s: %zu floats at once, loss %.8f\n", outcome.instruction_set.c_str(),
                outcome.floats_at_once, outcome.loss);
    kinds.insert({outcome.floats_at_once, outcome.has_byte_dot_product});
    // They differ only by rounding.
    same = same && std::abs(outcome.loss - outcomes[0].loss) < 1e-4 &&
           outcome.items == outcomes[0].items;
  }
  return same && kinds.size() == outcomes.size() ? 0 : 1;
}
