// SPDX-License-Identifier: BSD-3-Clause
// Numbers from any memory in binary files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/memory.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Calls visit(chunk) for consecutive chunks of numbers.
template <class T, class Visit>
void for_each_chunk(std::span<T> numbers, const Visit& visit) {
  constexpr std::size_t most = std::size_t{1} << 16;
  for (std::size_t at = 0; at < numbers.size(); at += most) {
    visit(numbers.subspan(at, std::min(most, numbers.size() - at)));
  }
}

}  // namespace detail

/// Writes numbers in chunks, each a list as in BinaryWriter::numbers().
/// @param device  the device whose memory holds the numbers; null for the host's
template <class T>
void write_numbers(BinaryWriter& out, DeviceMemory* device, std::span<const T> numbers) {
  std::vector<T> on_host;
  detail::for_each_chunk(numbers, [&](std::span<const T> chunk) {
    if (device == nullptr) return out.numbers(chunk);
    on_host.resize(chunk.size());
    copy_across(device, chunk, std::span(on_host));
    out.numbers(std::span<const T>(on_host));
  });
}

/// Overwrites numbers with what write_numbers() wrote, given the same parameters.
template <class T>
void read_numbers(BinaryReader& in, DeviceMemory* device, std::span<T> numbers) {
  std::vector<T> on_host;
  detail::for_each_chunk(numbers, [&](std::span<T> chunk) {
    if (device == nullptr) return in.numbers(chunk);
    on_host.resize(chunk.size());
    in.numbers(std::span(on_host));
    copy_across(device, std::span<const T>(on_host), chunk);
  });
}

}  // namespace prism::inline PRISM_ISA
