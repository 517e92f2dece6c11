// SPDX-License-Identifier: BSD-3-Clause
// Two units compiled for different instruction sets: each catches what the other throws.
#include <cstdio>
#include <iterator>

#include "side.hpp"

int main() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    std::puts("skipped: this processor has no AVX2");
    return 0;
  }
  const std::size_t in_baseline = baseline_catches(avx2_throws);
  const std::size_t in_avx2 = avx2_catches(baseline_throws);
  const std::size_t all = std::size(every_thrown);
  std::printf("of %zu errors, %zu of AVX2 arrive in the baseline, %zu of the baseline in AVX2\n",
              all, in_baseline, in_avx2);
  return in_baseline == all && in_avx2 == all ? 0 : 1;
}
