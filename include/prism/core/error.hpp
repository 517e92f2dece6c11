// SPDX-License-Identifier: BSD-3-Clause
// The errors the library throws. Each message names the file, line or argument at fault and says
// what would be right.
#pragma once

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"

namespace prism::inline PRISM_ISA {

/// Base of everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument or option outside its domain.
class ArgumentError : public Error {
 public:
  /// @param argument  the option's name as the caller wrote it, e.g. "batch_size"
  /// @param problem   what is wrong and what would be right, e.g. "must be at least 1, not 0"
  ArgumentError(std::string argument, const std::string& problem)
      : Error(argument + ": " + problem), argument_(std::move(argument)) {}

  [[nodiscard]] const std::string& argument() const noexcept { return argument_; }

 private:
  std::string argument_;
};

/// A file that cannot be read, or whose content is not what its format says.
class DataError : public Error {
 public:
  /// @param line  1-based; 0 where the whole file is at fault
  DataError(std::string file, std::size_t line, const std::string& problem)
      : Error(place(file, line) + ": " + problem), file_(std::move(file)), line_(line) {}

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  // In steps, because g++ 12 warns falsely of `":" + std::to_string(line)`.
  static std::string place(std::string file, std::size_t line) {
    if (line > 0) file.append(":").append(std::to_string(line));
    return file;
  }

  std::string file_;
  std::size_t line_;
};

/// A training whose loss, weights or their squares are no longer finite numbers.
class DivergenceError : public Error {
 public:
  using Error::Error;
};

/// Throws ArgumentError(argument, problem) unless `holds`.
inline void require(bool holds, const char* argument, const std::string& problem) {
  if (!holds) throw ArgumentError(argument, problem);
}

/// The shortest text that reads back as the number: "0.001".
[[nodiscard]] inline std::string shortest(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

/// Throws unless value is a finite number of at least 0.
inline void require_not_negative(const char* argument, double value) {
  require(is_finite(value) && value >= 0, argument,
          "must be a finite number of at least 0, not " + shortest(value));
}

/// Throws unless value is a finite number above 0.
inline void require_positive(const char* argument, double value) {
  require(is_finite(value) && value > 0, argument,
          "must be a finite number above 0, not " + shortest(value));
}

/// Throws unless count is at least 1.
inline void require_some(const char* argument, std::size_t count) {
  require(count >= 1, argument, "must be at least 1, not 0");
}

}  // namespace prism::inline PRISM_ISA
