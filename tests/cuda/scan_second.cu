// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <prism/execution/cuda_device.hpp>
#include <prism/ops/scan.hpp>
#include <span>
#include <vector>

#include "scans.hpp"

using namespace prism;

namespace cuda_test {

std::vector<Index> scan_in_second_file(Index n) {
  fill(cuda::device(), {}, n);
  std::vector<Index> numbers(n);
  for (Index i = 0; i < n; ++i) numbers[i] = i + 1;
  const TableVector<Index> from(std::span<const Index>(numbers), memory_of(cuda::device()));
  TableVector<Index> to(from);
  detail::exclusive_scan(cuda::device(), std::span<const Index>(from.data(), n),
                         std::span<Index>(to.data(), n));
  synchronise(cuda::device());
  copy_across(device_memory(memory_of(cuda::device())), std::span<const Index>(to.data(), n),
              std::span<Index>(numbers));
  return numbers;
}

}  // namespace cuda_test
