// SPDX-License-Identifier: BSD-3-Clause
// Functions that npy_reader.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/serve/npy_reader.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::optional<NpyHeader> NpyHeaderParser::parse() {
  NpyHeader header;
  bool descr = false, order = false, shape = false;
  if (!take("{")) return std::nullopt;
  while (!take("}")) {
    std::string key;
    bool good = take_string(key) && take(":");
    if (key == "descr") {
      good = good && !descr && take_string(header.descr);
      descr = true;
    } else if (key == "fortran_order") {
      good = good && !order && take_bool(header.fortran_order);
      order = true;
    } else {
      good = good && key == "shape" && !shape && take_shape(header.shape);
      shape = true;
    }
    if (!good || (!take(",") && !next_is('}'))) return std::nullopt;
  }
  skip_space();
  if (!rest_.empty() || !descr || !order || !shape) return std::nullopt;
  return header;
}

PRISM_INLINE bool NpyHeaderParser::take_string(std::string& text) {
  if (!next_is('\'') && !next_is('"')) return false;
  const std::size_t end = rest_.find(rest_.front(), 1);
  if (end == std::string_view::npos) return false;
  text = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  return text.find('\\') == std::string::npos;
}

PRISM_INLINE bool NpyHeaderParser::take_shape(std::vector<std::size_t>& shape) {
  if (!take("(")) return false;
  while (!take(")")) {
    std::size_t number = 0;
    skip_space();
    const char* const end = rest_.data() + rest_.size();
    const auto [after, error] = std::from_chars(rest_.data(), end, number);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(after - rest_.data()));
    shape.push_back(number);
    const bool comma = take(",");
    if (!comma && (!next_is(')') || shape.size() == 1)) return false;  // (3) is no tuple
  }
  return true;
}

PRISM_INLINE std::string NpyFile::read_header() {
  constexpr std::string_view magic = "\x93NUMPY";
  char start[8] = {};
  const std::uint64_t available = std::min<std::uint64_t>(file_.left(), sizeof start);
  file_.read(start, available);
  if (std::string_view(start, magic.size()) != magic) fail("is not a .npy file");
  if (available < sizeof start) fail("is truncated");
  const int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0) {
    fail("is a .npy file of version " + std::to_string(static_cast<unsigned char>(start[6])) + "." +
         std::to_string(static_cast<unsigned char>(start[7])) +
         "; the supported versions are 1.0, 2.0 and 3.0");
  }
  unsigned char digits[4] = {};
  const std::size_t count = version == 1 ? 2 : 4;
  file_.read(reinterpret_cast<char*>(digits), count);
  std::size_t size = 0;
  for (std::size_t k = count; k-- > 0;) size = 256 * size + digits[k];
  if (size > max_header) {
    fail("has a header of " + std::to_string(size) + " bytes; the maximum is " +
         std::to_string(max_header));
  }
  std::string header(std::min<std::uint64_t>(size, file_.left()), '\0');
  if (header.size() < size) fail("is truncated in its header");
  file_.read(header.data(), size);
  return header;
}

PRISM_INLINE void NpyFile::check_header(const std::string& text) {
  const std::optional<NpyHeader> header = NpyHeaderParser(text).parse();
  if (!header) fail("has an invalid header; it must have the keys descr, fortran_order and shape");
  const std::string& descr = header->descr;
  const bool ordered = descr.starts_with('<') || descr.starts_with('>');
  const std::string kind = ordered ? descr.substr(1) : "";
  if (kind != "f4" && kind != "f8" && kind != "u4") {
    fail("has dtype '" + printable(descr) +
         "'; the supported dtypes are float32, float64 and uint32");
  }
  number_size_ = kind[1] == '4' ? 4 : 8;
  type_ = kind[0] == 'u' ? "uint32" : number_size_ == 4 ? "float32" : "float64";
  swap_ = (descr[0] == '<') != (std::endian::native == std::endian::little);
  if (header->shape.size() != 2) {
    fail("has " + std::to_string(header->shape.size()) +
         " dimensions; a table must have two, rows and columns");
  }
  if (header->fortran_order) {
    fail("is in Fortran order; convert it to C order with numpy.ascontiguousarray(table)");
  }
  rows_ = header->shape[0];
  columns_ = header->shape[1];
  // Without these limits, a file without numbers could claim any number of rows or columns.
  if (rows_ > max_rows) {
    fail("has " + std::to_string(rows_) + " rows; a table may have at most " +
         std::to_string(max_rows));
  }
  if (columns_ == 0 || columns_ > max_columns) {
    fail("has " + std::to_string(columns_) + " columns; a table must have 1 to " +
         std::to_string(max_columns));
  }
  const std::uint64_t row_size = columns_ * number_size_;  // at most 2^23
  if (file_.left() / row_size != rows_ || file_.left() % row_size != 0) {
    fail("has " + std::to_string(file_.left()) + " bytes of data, but its shape (" +
         std::to_string(rows_) + ", " + std::to_string(columns_) + ") needs " +
         std::to_string(row_size * rows_));
  }
}

PRISM_INLINE std::string NpyFile::printable(std::string text) {
  if (text.size() > 20) text.replace(20, std::string::npos, "...");
  for (char& c : text) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return text;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
