// SPDX-License-Identifier: BSD-3-Clause
#include <prism/execution/cuda_device.hpp>
#include <vector>

#include "scans.hpp"

std::vector<prism::Index> cuda_test::scan_in_first_file(prism::Index n) {
  return scan_on(prism::cuda::device(), n);
}
