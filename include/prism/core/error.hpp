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

// Outside the inline namespace, so that each error is one type in all translation units, and a unit
// compiled for another instruction set can catch it. Such units must not share instructions that
// only one of their machines can run: the members are therefore the base's string and plain
// integers, and all functions are always inlined. Only the vtable, the type information and a
// destructor that adds nothing to the base's remain shared.
namespace prism {

/// Base class of the library's errors.
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
  /// What is wrong and what would be right; valid as long as the error.
  [[nodiscard]] PRISM_ALWAYS_INLINE const char* problem() const noexcept {
    return what() + argument_size_ + 2;  // after ": "
  }

 private:
  std::size_t argument_size_;  // what() begins with the argument
};

/// A device that is not there, has too little memory, or has failed.
class PRISM_ONE_TYPE DeviceError : public Error {
 public:
  PRISM_ALWAYS_INLINE explicit DeviceError(const std::string& what) : Error(what) {}
  PRISM_ALWAYS_INLINE DeviceError(const DeviceError& other) noexcept : Error(other) {}
  PRISM_ALWAYS_INLINE DeviceError& operator=(const DeviceError& other) noexcept {
    Error::operator=(other);
    return *this;
  }
};

/// A request for more memory than a device has left, or for more pinned memory than the host has.
class PRISM_ONE_TYPE DeviceMemoryError : public DeviceError {
 public:
  PRISM_ALWAYS_INLINE explicit DeviceMemoryError(const std::string& what) : DeviceError(what) {}
  PRISM_ALWAYS_INLINE DeviceMemoryError(const DeviceMemoryError& other) noexcept
      : DeviceError(other) {}
  PRISM_ALWAYS_INLINE DeviceMemoryError& operator=(const DeviceMemoryError& other) noexcept {
    DeviceError::operator=(other);
    return *this;
  }
};

/// A file that cannot be read, or whose content does not match its format.
class PRISM_ONE_TYPE DataError : public Error {
 public:
  /// @param line  1-based; 0 if the error is about the whole file
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

/// Training diverged: the loss, the weights or their squares are no longer finite.
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

/// @throws ArgumentError  (argument, problem) unless `condition`
inline void require(bool condition, const char* argument, const std::string& problem) {
  if (!condition) throw ArgumentError(argument, problem);
}

/// The shortest text that reads back as the same number: "0.001".
[[nodiscard]] inline std::string format_number(double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return {digits, end};
}

/// @throws ArgumentError  unless value is finite and at least 0
inline void require_non_negative(const char* argument, double value) {
  require(detail::is_finite(value) && value >= 0, argument,
          "must be a finite number of at least 0, not " + format_number(value));
}

/// @throws ArgumentError  unless value is finite and above 0
inline void require_positive(const char* argument, double value) {
  require(detail::is_finite(value) && value > 0, argument,
          "must be a finite number above 0, not " + format_number(value));
}

/// @throws ArgumentError  unless tau is from 1e-6 to 1e6
inline void require_temperature(const char* argument, double tau) {
  require(tau >= 1e-6 && tau <= 1e6, argument,
          "must be from 1e-6 to 1e6, not " + format_number(tau));
}

/// @param last  the last enumerator of its type
/// @throws ArgumentError  for a value without an enumerator, which a cast from a number may give
template <class Enum>
constexpr void require_enumerator(const char* argument, Enum value, Enum last) {
  if (value < Enum{} || value > last) {
    throw ArgumentError(argument, "must be one of its type's enumerators");
  }
}

/// @throws ArgumentError  unless count is at least 1
inline void require_at_least_one(const char* argument, std::size_t count) {
  require(count >= 1, argument, "must be at least 1, not 0");
}

}  // namespace prism::inline PRISM_ISA
