// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts in a file of the library's own format, with a checksum over the whole file, so
// that a truncated or changed file is detected.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/staged_file.hpp"

// A file: 8 letters that name its kind, its version (32 bits), the data, and a trailer with the
// number of bytes before it (64 bits) and their checksum (64 bits). All numbers are little-endian.
namespace prism::inline PRISM_ISA {

/// The kind of a file in this format: its first letters and the version of the rest.
struct FileKind {
  std::string_view letters;  ///< 8 of them
  std::uint32_t version;
  std::string_view name;  ///< in errors: "is not a training checkpoint"
};

namespace detail {

/// A number's bytes in the file's order.
template <class T>
void to_bytes(T number, char* bytes) noexcept {
  std::memcpy(bytes, &number, sizeof number);
  if constexpr (std::endian::native == std::endian::big) std::reverse(bytes, bytes + sizeof number);
}
template <class T>
[[nodiscard]] T from_bytes(const char* bytes) noexcept {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::reverse(own, own + sizeof(T));
  T number;
  std::memcpy(&number, own, sizeof(T));
  return number;
}

/// A checksum over bytes, 8 at a time. Each update maps sums one to one, so that files of equal
/// length that differ in one word never have the same sum.
class Checksum {
 public:
  /// @param bytes  a multiple of 8, except in the last call
  void add(std::string_view bytes) noexcept {
    for (; bytes.size() >= word_size; bytes.remove_prefix(word_size)) add_word(bytes.data());
    if (bytes.empty()) return;
    char word[word_size] = {};
    std::memcpy(word, bytes.data(), bytes.size());
    add_word(word);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  static constexpr std::size_t word_size = sizeof(std::uint64_t);
  void add_word(const char* bytes) noexcept {
    sum_ = std::rotl((sum_ ^ from_bytes<std::uint64_t>(bytes)) * 0x9E3779B97F4A7C15, 29);
  }
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

inline constexpr std::size_t file_buffer = std::size_t{1} << 16;  // a multiple of 8
inline constexpr std::size_t file_trailer = 2 * sizeof(std::uint64_t);

}  // namespace detail

/// Writes a file of this format, which gets its name when publish() is called.
class BinaryWriter {
 public:
  /// @throws DataError  as StagedFile does
  BinaryWriter(const std::filesystem::path& path, const FileKind& kind) : file_(path) {
    add(kind.letters);
    number(kind.version);
  }

  template <class T>
    requires std::is_arithmetic_v<T>
  void number(T value) {
    char bytes[sizeof(T)];
    detail::to_bytes(value, bytes);
    add({bytes, sizeof bytes});
  }
  /// A list: its length, then each number.
  template <class T>
    requires std::is_arithmetic_v<T>
  void numbers(std::span<const T> values) {
    number(std::uint64_t{values.size()});
    if constexpr (std::endian::native == std::endian::little) {
      add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    } else {
      for (const T value : values) number(value);
    }
  }
  void text(std::string_view text) { numbers(std::span(text.data(), text.size())); }

  /// @throws DataError  if the file cannot be written
  void publish() {
    flush();
    rename();
  }

  /// The parts of publish(), to be called in this order: flush the file's content to disk, then
  /// give the file its name.
  /// @throws DataError  if the file cannot be written
  void flush();
  void rename() {
    file_.rename();
    file_.flush_name();
  }

 private:
  void add(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t count = std::min(bytes.size(), detail::file_buffer - buffer_.size());
      buffer_.append(bytes.substr(0, count));
      bytes.remove_prefix(count);
      if (buffer_.size() < detail::file_buffer) return;
      sum_.add(buffer_);
      file_.write(buffer_);
      written_ += buffer_.size();
      buffer_.clear();
    }
  }

  detail::StagedFile file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
  detail::Checksum sum_;
};

/// Reads a file of this format, in the order in which it was written.
class BinaryReader {
 public:
  /// Reads the whole file once to verify its checksum.
  /// @throws DataError  if there is no such file, or it is of another kind or version, truncated or
  ///     changed
  BinaryReader(const std::filesystem::path& path, const FileKind& kind);

  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T number() {
    char bytes[sizeof(T)];
    take(bytes, sizeof bytes);
    return detail::from_bytes<T>(bytes);
  }
  /// A list of values.size() numbers.
  template <class T>
    requires std::is_arithmetic_v<T>
  void numbers(std::span<T> values) {
    const auto count = number<std::uint64_t>();
    if (count != values.size()) {
      fail("has " + std::to_string(count) + " numbers where " + std::to_string(values.size()) +
           " are expected");
    }
    fill(values);
  }
  /// A list of any length.
  template <class T>
  [[nodiscard]] std::vector<T> list() {
    const auto count = number<std::uint64_t>();
    if (count > left() / sizeof(T)) fail("has a list that is longer than the file");
    std::vector<T> values(count);
    fill(std::span(values));
    return values;
  }
  [[nodiscard]] std::string text() {
    const std::vector<char> letters = list<char>();
    return {letters.begin(), letters.end()};
  }

  /// @throws DataError  if something is left to read
  void finish() {
    if (left() != 0) fail("has unexpected data after its last value");
  }

  /// @throws DataError  naming this file
  [[noreturn]] void fail(const std::string& problem) const { file_.fail(problem); }

 private:
  /// Bytes before the trailer.
  [[nodiscard]] std::uint64_t left() const noexcept { return end_ - file_.position(); }
  void take(char* bytes, std::size_t count) {
    if (count > left()) fail("ends before all values were read");
    file_.read(bytes, count);
  }
  template <class T>
  void fill(std::span<T> values) {
    if constexpr (std::endian::native == std::endian::little) {
      take(reinterpret_cast<char*>(values.data()), values.size_bytes());
    } else {
      for (T& value : values) value = number<T>();
    }
  }

  /// Compares the trailer with the file's actual size and checksum.
  void check_sum();

  detail::InputFile file_;
  std::uint64_t end_ = file_.size();  // of the bytes that may be read
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/core/binary_file.inl.hpp"
#endif
