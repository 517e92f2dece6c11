// SPDX-License-Identifier: BSD-3-Clause
// Tables in NumPy's .npy format, version 1.0. xtensor's header of that name includes std::regex for
// its reader: more than a second of compile time.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A file's content: the header, padded to a multiple of 64 bytes, and the numbers, row by row.
template <class T>
[[nodiscard]] std::string npy(Rows<const T> table) {
  static_assert(std::is_floating_point_v<T>);
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  std::string header = std::string("{'descr': '") + order + 'f' + std::to_string(sizeof(T)) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(table.size()) +
                       ", " + std::to_string(table.dim()) + "), }";
  constexpr std::size_t before = 10;  // what comes before the header: magic, version, length
  const std::size_t end = (before + header.size() + 1 + 63) / 64 * 64;
  header.resize(end - before - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  file += header;
  file.append(reinterpret_cast<const char*>(table.data()), table.num_elements() * sizeof(T));
  return file;
}

}  // namespace prism::inline PRISM_ISA::detail
