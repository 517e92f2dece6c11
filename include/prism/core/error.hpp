// SPDX-License-Identifier: BSD-3-Clause
// The errors the library throws. Each message names the file, line or argument at fault and says
// what would be right.
#pragma once

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"

// One type in every unit, whatever instruction set it is built for, so that one unit catches what
// another throws. No instruction of theirs may then be shared that only one unit may run: members
// are the base's text and plain integers, and functions are always inlined. What is left to share
// is the table of virtual functions, the type's name and a destructor that does nothing of its own.
namespace prism {

/// Base of everything the library throws on purpose.
class PRISM_ONE_TYPE Error : public std::runtime_error {
 public:
  PRISM_ALWAYS_INLINE explicit Error(const std::string& what) : std::runtime_error(what) {}
  PRISM_ALWAYS_INLINE explicit Error(const char* what) : std::runtime_error(what) {}
  PRISM_ALWAYS_INLINE Error(const Error& other) noexcept : std::runtime_error(other) {}
  PRISM_ALWAYS_INLINE Error& operator=(const Error& other) noexcept {
    std::runtime_error::operator=(other);
    return *this;
  }
};

/// An argument or option outside its domain.
class PRISM_ONE_TYPE ArgumentError : public Error {
 public:
  /// @param argument  the option's name as the caller wrote it, e.g. "batch_size"
  /// @param problem   what is wrong and what would be right, e.g. "must be at least 1, not 0"
  PRISM_ALWAYS_INLINE ArgumentError(const std::string& argument, const std::string& problem)
      : Error(argument + ": " + problem), argument_size_(argument.size()) {}
  PRISM_ALWAYS_INLINE ArgumentError(const ArgumentError& other) noexcept
      : Error(other), argument_size_(other.argument_size_) {}
  PRISM_ALWAYS_INLINE ArgumentError& operator=(const ArgumentError& other) noexcept {
    Error::operator=(other);
    argument_size_ = other.argument_size_;
    return *this;
  }

  [[nodiscard]] PRISM_ALWAYS_INLINE std::string argument() const {
    return std::string(what(), argument_size_);
  }

 private:
  std::size_t argument_size_;  // what() begins with the argument
};

/// A file that cannot be read, or whose content is not what its format says.
class PRISM_ONE_TYPE DataError : public Error {
 public:
  /// @param line  1-based; 0 where the whole file is at fault
  PRISM_ALWAYS_INLINE DataError(const std::string& file, std::size_t line,
                                const std::string& problem)
      : Error((line > 0 ? file + ":" + std::to_string(line) : file) + ": " + problem),
        file_size_(file.size()),
        line_(line) {}
  PRISM_ALWAYS_INLINE DataError(const DataError& other) noexcept
      : Error(other), file_size_(other.file_size_), line_(other.line_) {}
  PRISM_ALWAYS_INLINE DataError& operator=(const DataError& other) noexcept {
    Error::operator=(other);
    file_size_ = other.file_size_;
    line_ = other.line_;
    return *this;
  }

  [[nodiscard]] PRISM_ALWAYS_INLINE std::string file() const {
    return std::string(what(), file_size_);
  }
  [[nodiscard]] PRISM_ALWAYS_INLINE std::size_t line() const noexcept { return line_; }

 private:
  std::size_t file_size_;  // what() begins with the file
  std::size_t line_;
};

/// A training whose loss, weights or their squares are no longer finite numbers.
class PRISM_ONE_TYPE DivergenceError : public Error {
 public:
  PRISM_ALWAYS_INLINE explicit DivergenceError(const std::string& what) : Error(what) {}
  PRISM_ALWAYS_INLINE explicit DivergenceError(const char* what) : Error(what) {}
  PRISM_ALWAYS_INLINE DivergenceError(const DivergenceError& other) noexcept : Error(other) {}
  PRISM_ALWAYS_INLINE DivergenceError& operator=(const DivergenceError& other) noexcept {
    Error::operator=(other);
    return *this;
  }
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// Throws ArgumentError(argument, problem) unless `condition`.
inline void require(bool condition, const char* argument, const std::string& problem) {
  if (!condition) throw ArgumentError(argument, problem);
}

/// The shortest text that reads back as the number: "0.001".
[[nodiscard]] inline std::string format_number(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

/// Throws unless value is a finite number of at least 0.
inline void require_non_negative(const char* argument, double value) {
  require(is_finite(value) && value >= 0, argument,
          "must be a finite number of at least 0, not " + format_number(value));
}

/// Throws unless value is a finite number above 0.
inline void require_positive(const char* argument, double value) {
  require(is_finite(value) && value > 0, argument,
          "must be a finite number above 0, not " + format_number(value));
}

/// Throws unless count is at least 1.
inline void require_at_least_one(const char* argument, std::size_t count) {
  require(count >= 1, argument, "must be at least 1, not 0");
}

}  // namespace prism::inline PRISM_ISA
