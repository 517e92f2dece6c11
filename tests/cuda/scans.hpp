// SPDX-License-Identifier: BSD-3-Clause
// One operation in two files of a program: its lambdas capture one another.
#pragma once

#include <cstddef>
#include <prism/core/index.hpp>
#include <prism/core/memory.hpp>
#include <prism/core/parallel.hpp>
#include <prism/ops/scan.hpp>
#include <span>
#include <vector>

namespace cuda_test {

/// to[i] = value, by a lambda that captures another, which is copied before the device is asked for
/// anything: a null pointer to the function that copies it shows without a device.
template <class X>
void fill(const X& exec, std::span<prism::Index> to, prism::Index value) {
  const auto store = [=] PRISM_HOST_DEVICE(std::size_t i) { to[i] = value; };
  prism::for_each_row(exec, 32, [=] PRISM_HOST_DEVICE(std::size_t i) {
    if (i < to.size()) store(i);
  });
}

/// The exclusive prefix sums of 1, 2, ..., n.
template <class X>
std::vector<prism::Index> scan_on(const X& exec, prism::Index n) {
  using prism::Index;
  fill(exec, {}, n);
  std::vector<Index> numbers(n);
  for (Index i = 0; i < n; ++i) numbers[i] = i + 1;
  const prism::TableVector<Index> from(std::span<const Index>(numbers), prism::memory_of(exec));
  prism::TableVector<Index> to(from);
  prism::detail::exclusive_scan(exec, std::span<const Index>(from.data(), n),
                                std::span<Index>(to.data(), n));
  prism::synchronise(exec);
  prism::copy_across(prism::device_memory(prism::memory_of(exec)),
                     std::span<const Index>(to.data(), n), std::span<Index>(numbers));
  return numbers;
}

/// The same, computed on the device by the first file's code.
std::vector<prism::Index> scan_in_first_file(prism::Index n);
/// By the second file's.
std::vector<prism::Index> scan_in_second_file(prism::Index n);

}  // namespace cuda_test
