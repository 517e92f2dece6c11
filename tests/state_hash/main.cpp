// SPDX-License-Identifier: BSD-3-Clause
// state_hash [THREADS]: a line for each model, with its name and a hash of its training.
#include <cstdio>
#include <cstdlib>

#include "state_hash.hpp"

int main(int argc, char** argv) {
  bool able = true;
#if defined(__AVX2__)
  able = __builtin_cpu_supports("x86-64-v3") != 0;
#endif
#if defined(__AVX512VNNI__)
  able = able && __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
#endif
  if (!able) {
    std::puts("skipped: this processor lacks the instructions");
    return 0;
  }
  const prism::ThreadLimit limit(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2);
  state_hash::train_bpr();
  state_hash::train_ssm();
  state_hash::train_directau();
  state_hash::train_mawu();
  state_hash::train_macr();
  state_hash::train_similarities();
}
