// SPDX-License-Identifier: BSD-3-Clause
// Reads tables in NumPy's .npy format from untrusted files: no more is allocated than the file is
// long enough to fill.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
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
  [[nodiscard]] std::optional<NpyHeader> parse();

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
  bool take_string(std::string& text);
  bool take_bool(bool& value) {
    value = take("True");
    return value || take("False");
  }
  /// A tuple of numbers: (), (3,), (3, 2), (3, 2,).
  bool take_shape(std::vector<std::size_t>& shape);

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

  [[nodiscard]] std::string read_header();

  void check_header(const std::string& text);

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
  static std::string printable(std::string text);

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

#ifndef PRISM_COMPILED
#include "prism/serve/npy_reader.inl.hpp"
#endif
