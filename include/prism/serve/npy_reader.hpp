// SPDX-License-Identifier: BSD-3-Clause
// Reads tables in NumPy's .npy format from untrusted files: no more is allocated than the file is
// long enough to fill.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A .npy file's description of its array.
struct NpyHeader {
  std::string descr;  ///< the type of the numbers: "<f4"
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses a header, a dictionary in Python's notation: {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 2), }. The keys may come in any order, each once.
/// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
class NpyHeaderParser {
 public:
  explicit NpyHeaderParser(std::string_view text) : rest_(text) {}

  /// Returns nullopt for anything else.
  [[nodiscard]] std::optional<NpyHeader> parse() {
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

 private:
  void skip_space() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  bool next_is(char c) {
    skip_space();
    return rest_.starts_with(c);
  }
  bool take(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// A text in quotes of either kind, without escapes.
  bool take_string(std::string& text) {
    if (!next_is('\'') && !next_is('"')) return false;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text.find('\\') == std::string::npos;
  }
  bool take_bool(bool& value) {
    value = take("True");
    return value || take("False");
  }
  /// A tuple of numbers: (), (3,), (3, 2), (3, 2,).
  bool take_shape(std::vector<std::size_t>& shape) {
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

  std::string_view rest_;
};

/// A .npy file (versions 1.0, 2.0 and 3.0) that holds a table: two dimensions, C order, float32,
/// float64 or uint32 of either byte order.
class NpyFile {
 public:
  /// Reads the header; the numbers are left to read() and read_into().
  /// @throws DataError  if there is no such file, its header describes anything else, or it is
  ///     shorter or longer than its shape says
  explicit NpyFile(InputFile file) : file_(std::move(file)) { check_header(read_header()); }
  explicit NpyFile(const std::filesystem::path& path) : NpyFile(InputFile(path)) {}

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// The bytes of one number, 4 or 8.
  [[nodiscard]] std::size_t number_size() const noexcept { return number_size_; }

  /// Reads the numbers, once.
  /// @param table  rows() x columns(), of the numbers' own type
  /// @throws DataError  if the file holds numbers of another type, the table has another shape, or
  ///     the file cannot be read
  template <class T>
  void read_into(Rows<T> table) {
    check_type<T>();
    if (table.size() != rows_ || table.dim() != columns_) {
      fail("has shape (" + std::to_string(rows_) + ", " + std::to_string(columns_) + "), not (" +
           std::to_string(table.size()) + ", " + std::to_string(table.dim()) + ")");
    }
    file_.read(reinterpret_cast<char*>(table.data()), table.num_elements() * sizeof(T));
    if (!swap_) return;
    for (std::size_t k = 0; k < table.num_elements(); ++k) {
      // As bytes: a signalling NaN may change when it is moved as a number.
      char* const bytes = reinterpret_cast<char*>(table.data() + k);
      std::reverse(bytes, bytes + sizeof(T));
    }
  }

  /// Reads the numbers, once, into a new table of rows() x columns().
  /// @param memory  null for table_memory()
  template <class T>
  [[nodiscard]] Matrix<T> read(std::pmr::memory_resource* memory = nullptr) {
    check_type<T>();
    Matrix<T> table = make_table<T>(rows_, columns_, memory);
    read_into(Rows<T>(table.data(), rows_, columns_));
    return table;
  }

  /// @throws DataError  that names this file
  [[noreturn]] void fail(const std::string& problem) const { file_.fail(problem); }

 private:
  static constexpr std::size_t max_header = 10'000;  // NumPy's own limit
  static constexpr std::size_t max_columns = std::size_t{1} << 20;

  [[nodiscard]] std::string read_header() {
    constexpr std::string_view magic = "\x93NUMPY";
    char start[8] = {};
    const std::uint64_t available = std::min<std::uint64_t>(file_.left(), sizeof start);
    file_.read(start, available);
    if (std::string_view(start, magic.size()) != magic) fail("is not a .npy file");
    if (available < sizeof start) fail("is truncated");
    const int version = start[6];
    if (version < 1 || version > 3 || start[7] != 0) {
      fail("is a .npy file of version " + std::to_string(static_cast<unsigned char>(start[6])) +
           "." + std::to_string(static_cast<unsigned char>(start[7])) +
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

  void check_header(const std::string& text) {
    const std::optional<NpyHeader> header = NpyHeaderParser(text).parse();
    if (!header)
      fail("has an invalid header; it must have the keys descr, fortran_order and shape");
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

  template <class T>
  void check_type() const {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> ||
                  std::is_same_v<T, std::uint32_t>);
    const std::string_view own = std::is_same_v<T, float>    ? "float32"
                                 : std::is_same_v<T, double> ? "float64"
                                                             : "uint32";
    if (type_ != own) {
      fail("has dtype " + std::string(type_) + ", not " + std::string(own));
    }
  }

  /// A type's name, which may hold any bytes, for an error message.
  static std::string printable(std::string text) {
    if (text.size() > 20) text.replace(20, std::string::npos, "...");
    for (char& c : text) {
      if (c < 0x20 || c > 0x7E) c = '?';
    }
    return text;
  }

  InputFile file_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t number_size_ = 0;
  std::string_view type_;
  bool swap_ = false;
};

/// Reads a table from a .npy file of numbers of type T.
/// @param memory  null for table_memory()
/// @throws DataError  as NpyFile does
template <class T>
[[nodiscard]] Matrix<T> read_npy(const std::filesystem::path& path,
                                 std::pmr::memory_resource* memory = nullptr) {
  return NpyFile(path).read<T>(memory);
}

}  // namespace prism::inline PRISM_ISA::detail
