// SPDX-License-Identifier: BSD-3-Clause
// Reads a text file line by line, in memory proportional to its longest line.
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/byte_stream.hpp"

namespace prism::inline PRISM_ISA {

/// Lines without line breaks (\n or \r\n); empty lines, lines of spaces and a UTF-8 byte order mark
/// are skipped.
class LineReader {
 public:
  /// @param max_line_bytes  bytes of the longest line accepted, which bounds the memory for a file
  ///                        without line breaks
  /// @throws DataError  if the file cannot be read
  explicit LineReader(const std::filesystem::path& path,
                      std::size_t max_line_bytes = std::size_t{256} << 20)
      : bytes_(path), max_line_bytes_(max_line_bytes), buffer_(std::size_t{1} << 18) {}

  /// Reads the next line; false after the last one.
  /// @throws DataError  if reading fails, or a line is too long or not text: with a zero byte, or a
  ///                    carriage return that does not end it
  [[nodiscard]] bool next() {
    while (advance()) {
      ++number_;
      if (number_ == 1 && line_.starts_with("\xEF\xBB\xBF")) line_.remove_prefix(3);
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (line_.find_first_not_of(' ') == std::string_view::npos) continue;
      if (line_.find('\0') != std::string_view::npos)
        fail("contains a zero byte, so it is not text");
      if (line_.find('\r') != std::string_view::npos) {
        fail("has a carriage return within; lines end in \\n or \\r\\n");
      }
      return true;
    }
    return false;
  }

  /// The current line, valid until next().
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

  /// @throws DataError  with the file and the current line
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(bytes_.name(), number_, problem);
  }

  /// @throws DataError  with the file alone
  [[noreturn]] void fail_whole(const std::string& problem) const {
    throw DataError(bytes_.name(), 0, problem);
  }

 private:
  bool advance() {
    for (std::size_t searched = begin_;;) {
      const void* const found = std::memchr(buffer_.data() + searched, '\n', end_ - searched);
      if (found != nullptr) {
        const auto newline =
            static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
        line_ = {buffer_.data() + begin_, newline - begin_};
        begin_ = newline + 1;
        return true;
      }
      searched = end_ - begin_;  // from the beginning of the buffer, where refill() moves the line
      if (!refill()) break;
    }
    line_ = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    return !line_.empty();
  }

  /// Moves the unread bytes to the beginning of the buffer and reads more after them.
  bool refill() {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ > max_line_bytes_) {
      ++number_;
      fail("is longer than " + std::to_string(max_line_bytes_) + " bytes");
    }
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t count = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    return count > 0;
  }

  ByteStream bytes_;
  std::size_t max_line_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // unread bytes: [begin_, end_) of buffer_
  std::size_t end_ = 0;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace prism::inline PRISM_ISA
