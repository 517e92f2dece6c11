// SPDX-License-Identifier: BSD-3-Clause
// Tables in NumPy's .npy format, version 1.0. xtensor's header of that name includes std::regex for
// its reader: more than a second of compile time.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The bytes before the numbers of a row-major table, padded to a multiple of 64.
template <class T>
[[nodiscard]] std::string npy_header(std::size_t rows, std::size_t columns) {
  static_assert(std::is_floating_point_v<T> || std::is_unsigned_v<T>);
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  const char kind = std::is_floating_point_v<T> ? 'f' : 'u';
  std::string header = std::string("{'descr': '") + order + kind + std::to_string(sizeof(T)) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  constexpr std::size_t before = 10;  // what comes before the header: magic, version, length
  const std::size_t end = (before + header.size() + 1 + 63) / 64 * 64;
  header.resize(end - before - 1, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header;
}

/// The numbers of a table as they are in memory.
template <class T>
[[nodiscard]] std::string_view bytes_of(Rows<const T> table) {
  return {reinterpret_cast<const char*>(table.data()), table.num_elements() * sizeof(T)};
}

/// The content of a table's file.
template <class T>
[[nodiscard]] std::string npy(Rows<const T> table) {
  return npy_header<T>(table.size(), table.dim()).append(bytes_of(table));
}

}  // namespace prism::inline PRISM_ISA::detail
