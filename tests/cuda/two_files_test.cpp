// SPDX-License-Identifier: BSD-3-Clause
// Two files that are compiled as CUDA in one program. Without a device each of them ends with a
// DeviceError, and none with a crash.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <prism/core/error.hpp>
#include <string>
#include <vector>

#include "scans.hpp"

namespace {

/// @return whether the sums are right; 2 if there is no device
int run(const char* name, std::vector<prism::Index> (*scan)(prism::Index)) {
  try {
    const std::vector<prism::Index> sums = scan(5000);
    for (prism::Index i = 0; i < sums.size(); ++i) {
      if (sums[i] == i * (i + 1) / 2) continue;
      std::printf("%s: the sum before %u is %u\n", name, i, sums[i]);
      return 1;
    }
    std::printf("%s: right\n", name);
    return 0;
  } catch (const prism::DeviceError& error) {
    std::printf("skipped: %s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace

int main() {
  // The linker keeps the first file's functions: were the types the same, they would need pointers
  // that the first file has not set yet.
  const int second = run("second file", cuda_test::scan_in_second_file);
  const int first = run("first file", cuda_test::scan_in_first_file);
  return first == 1 || second == 1 || first != second ? 1 : 0;
}
