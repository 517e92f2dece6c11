// SPDX-License-Identifier: BSD-3-Clause
// The values of one Arrow column, checked as far as a consumer can: the C data interface does not
// say how long a buffer is.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_owned.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How an Arrow type's values lie in memory.
struct ArrowType {
  enum class Kind : unsigned char {
    signed_integer,
    unsigned_integer,
    real,
    time,  ///< since 1970, in parts of a second
    day,   ///< days since 1970
    text,
    text_view,
  };
  Kind kind;
  std::size_t width;      ///< bytes of a number, or of an offset if the values are texts
  double per_second = 1;  ///< of a time

  [[nodiscard]] bool is_integer() const noexcept {
    return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }
  [[nodiscard]] bool is_text() const noexcept {
    return kind == Kind::text || kind == Kind::text_view;
  }

  [[nodiscard]] bool is_date() const noexcept { return kind == Kind::time || kind == Kind::day; }

  /// The type of a format string; nullopt for types that are not supported.
  [[nodiscard]] static std::optional<ArrowType> of(std::string_view format) {
    using enum Kind;
    if (format.starts_with("ts") && format.size() > 3 && format[3] == ':') {  // and a time zone
      switch (format[2]) {
        case 's':
          return ArrowType{time, 8, 1};
        case 'm':
          return ArrowType{time, 8, 1e3};
        case 'u':
          return ArrowType{time, 8, 1e6};
        case 'n':
          return ArrowType{time, 8, 1e9};
        default:
          return std::nullopt;
      }
    }
    if (format == "tdD") return ArrowType{day, 4};
    if (format == "tdm") return ArrowType{time, 8, 1e3};
    if (format == "vu" || format == "vz") return ArrowType{text_view, 16};
    if (format.size() != 1) return std::nullopt;
    switch (format[0]) {
      case 'c':
        return ArrowType{signed_integer, 1};
      case 'C':
        return ArrowType{unsigned_integer, 1};
      case 's':
        return ArrowType{signed_integer, 2};
      case 'S':
        return ArrowType{unsigned_integer, 2};
      case 'i':
        return ArrowType{signed_integer, 4};
      case 'I':
        return ArrowType{unsigned_integer, 4};
      case 'l':
        return ArrowType{signed_integer, 8};
      case 'L':
        return ArrowType{unsigned_integer, 8};
      case 'f':
        return ArrowType{real, 4};
      case 'g':
        return ArrowType{real, 8};
      case 'u':
      case 'z':
        return ArrowType{text, 4};
      case 'U':
      case 'Z':
        return ArrowType{text, 8};
      default:
        return std::nullopt;
    }
  }
};

/// A range of an array's values, as rows 0 to rows() - 1, whatever the offsets of the array and of
/// the enclosing structure. Views the array, which must outlive this object.
class ArrowValues {
 public:
  /// @param column  its name in errors: "column 'user' (format 'u')"
  /// @param first   where row 0 is in the array, before its own offset is added
  /// @param before  the rows of the column in earlier batches, for errors
  /// @throws DataError  if the array cannot have this type and length
  ArrowValues(const std::string& column, const ArrowType& type, const ArrowArray& array,
              std::int64_t first, std::int64_t rows, std::int64_t before)
      : column_(column), type_(type), array_(array), rows_(rows), before_(before) {
    check_array(array, column);
    if (first > array.length || rows > array.length - first) {
      fail_arrow(column + " has " + std::to_string(array.length) + " values, but the batch needs " +
                 std::to_string(first) + " + " + std::to_string(rows));
    }
    begin_ = array.offset + first;
    const bool view = type.kind == ArrowType::Kind::text_view;
    const std::int64_t buffers = type.kind == ArrowType::Kind::text ? 3 : 2;
    if (view ? array.n_buffers < 3 : array.n_buffers != buffers) {
      fail_arrow(column + " has " + std::to_string(array.n_buffers) + " buffers, not " +
                 std::to_string(view ? 3 : buffers) + (view ? " or more" : ""));
    }
    if (rows > 0 && array.buffers[1] == nullptr) fail_arrow(column + " has no buffer of values");
    validity_ = validity_of(array, column);
  }

  /// Checks an array's length, offset, counts and number of buffers, and that it was not released.
  static void check_array(const ArrowArray& array, const std::string& column) {
    if (array.release == nullptr) fail_arrow(column + " has an array that was released");
    // Positions are multiplied by at most 16 bytes.
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 32;
    if (array.length < 0 || array.offset < 0 || array.length > most || array.offset > most) {
      fail_arrow(column + " has an array of length " + std::to_string(array.length) +
                 " and offset " + std::to_string(array.offset) +
                 "; both must be at least 0 and fit in memory");
    }
    if (array.null_count < -1 || array.null_count > array.length) {
      fail_arrow(column + " has " + std::to_string(array.null_count) + " nulls among " +
                 std::to_string(array.length) +
                 " values; the null count must be from 0 to the length, or -1 if unknown");
    }
    if (array.n_buffers < 1 || array.buffers == nullptr) fail_arrow(column + " has no buffers");
    // Views number their buffers of characters, besides which there are three, in 32 bits.
    constexpr std::int64_t most_buffers = std::int64_t{1} << 31;
    if (array.n_buffers > most_buffers + 3) {
      fail_arrow(column + " has " + std::to_string(array.n_buffers) +
                 " buffers; an array has at most " + std::to_string(most_buffers + 3));
    }
  }

  /// The bitmap of the values that are not null; nullptr if no value is null.
  static const unsigned char* validity_of(const ArrowArray& array, const std::string& column) {
    if (array.null_count == 0) return nullptr;
    if (array.null_count > 0 && array.buffers[0] == nullptr) {
      fail_arrow(column + " has " + std::to_string(array.null_count) +
                 " nulls, but no validity bitmap");
    }
    return static_cast<const unsigned char*>(array.buffers[0]);
  }
  static bool bit(const unsigned char* bits, std::int64_t at) noexcept {
    return (bits[at / 8] >> (at % 8) & 1) != 0;
  }

  [[nodiscard]] const ArrowType& type() const noexcept { return type_; }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool is_null(std::int64_t row) const noexcept {
    return validity_ != nullptr && !bit(validity_, begin_ + row);
  }

  /// An integer's value; unsigned values above the largest int64 wrap around.
  [[nodiscard]] std::int64_t integer(std::int64_t row) const noexcept {
    const bool has_sign = type_.kind != ArrowType::Kind::unsigned_integer;
    switch (type_.width) {
      case 1:
        return has_sign ? load<std::int8_t>(row) : load<std::uint8_t>(row);
      case 2:
        return has_sign ? load<std::int16_t>(row) : load<std::uint16_t>(row);
      case 4:
        return has_sign ? std::int64_t{load<std::int32_t>(row)}
                        : std::int64_t{load<std::uint32_t>(row)};
      default:
        return load<std::int64_t>(row);
    }
  }

  /// A number's value; for a time, in seconds.
  [[nodiscard]] double number(std::int64_t row) const noexcept {
    using enum ArrowType::Kind;
    if (type_.kind == real) {
      return type_.width == 4 ? static_cast<double>(load<float>(row)) : load<double>(row);
    }
    const std::int64_t value = integer(row);
    if (type_.kind == unsigned_integer)
      return static_cast<double>(static_cast<std::uint64_t>(value));
    if (type_.kind == day) return static_cast<double>(value) * 86'400;
    return static_cast<double>(value) / type_.per_second;
  }

  /// The digits of an integer, or the bytes of a text; valid until the next call.
  /// @throws DataError  for a text whose position is not valid
  [[nodiscard]] std::string_view text(std::int64_t row) {
    if (type_.kind == ArrowType::Kind::text_view) return viewed(row);
    if (type_.kind == ArrowType::Kind::text) return cut(row);
    const std::int64_t value = integer(row);
    const auto end =
        type_.kind == ArrowType::Kind::unsigned_integer
            ? std::to_chars(digits_, digits_ + sizeof digits_, static_cast<std::uint64_t>(value))
            : std::to_chars(digits_, digits_ + sizeof digits_, value);
    return {digits_, static_cast<std::size_t>(end.ptr - digits_)};
  }

  /// @throws DataError  that names the column and the row
  [[noreturn]] void fail(std::int64_t row, const std::string& problem) const {
    fail_arrow(column_ + ", row " + std::to_string(before_ + row) + " (from 0): " + problem);
  }

 private:
  /// Loads a number from a buffer that need not be aligned.
  template <class T>
  static T load_at(const void* buffer, std::int64_t at) noexcept {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + at * std::int64_t{sizeof(T)}, sizeof(T));
    return value;
  }
  template <class T>
  [[nodiscard]] T load(std::int64_t row) const noexcept {
    return load_at<T>(array_.buffers[1], begin_ + row);
  }

  /// A text between two offsets.
  [[nodiscard]] std::string_view cut(std::int64_t row) const {
    const auto offset = [&](std::int64_t k) {
      return type_.width == 4 ? std::int64_t{load<std::int32_t>(k)} : load<std::int64_t>(k);
    };
    const std::int64_t from = offset(row), to = offset(row + 1);
    if (from < 0 || to < from) {
      fail(row, "its text has the offsets " + std::to_string(from) + " to " + std::to_string(to) +
                    "; offsets must be at least 0 and must not decrease");
    }
    if (from == to) return {};
    if (array_.buffers[2] == nullptr) fail(row, "there is no buffer of characters");
    return {static_cast<const char*>(array_.buffers[2]) + from,
            static_cast<std::size_t>(to - from)};
  }

  /// The text of a string view: up to 12 bytes are inline, next to the length; longer texts are in
  /// one of the further buffers, whose lengths the last buffer holds.
  [[nodiscard]] std::string_view viewed(std::int64_t row) const {
    constexpr std::int32_t most_beside = 12;
    const char* const view =
        static_cast<const char*>(array_.buffers[1]) + (begin_ + row) * std::int64_t{16};
    const auto length = load_at<std::int32_t>(view, 0);
    if (length < 0) fail(row, "its text has a negative length: " + std::to_string(length));
    if (length <= most_beside) return {view + 4, static_cast<std::size_t>(length)};
    const auto buffer = load_at<std::int32_t>(view, 2);
    const auto from = load_at<std::int32_t>(view, 3);
    const std::int64_t buffers = array_.n_buffers - 3;
    const void* const lengths = array_.buffers[array_.n_buffers - 1];
    if (buffer < 0 || buffer >= buffers || lengths == nullptr) {
      fail(row, "its text refers to buffer " + std::to_string(buffer) + " (from 0) of " +
                    std::to_string(buffers));
    }
    const void* const bytes = array_.buffers[2 + buffer];
    if (from < 0 || bytes == nullptr ||
        load_at<std::int64_t>(lengths, buffer) < std::int64_t{from} + length) {
      fail(row, "its text refers to bytes " + std::to_string(from) + " to " +
                    std::to_string(std::int64_t{from} + length) + " of a buffer of length " +
                    std::to_string(load_at<std::int64_t>(lengths, buffer)));
    }
    return {static_cast<const char*>(bytes) + from, static_cast<std::size_t>(length)};
  }

  const std::string& column_;
  ArrowType type_;
  const ArrowArray& array_;
  std::int64_t rows_;
  std::int64_t before_;
  std::int64_t begin_ = 0;
  const unsigned char* validity_ = nullptr;
  char digits_[20] = {};  // of the longest, "-9223372036854775808"
};

}  // namespace prism::inline PRISM_ISA::detail
