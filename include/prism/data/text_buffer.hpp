// SPDX-License-Identifier: BSD-3-Clause
// The text of a file, one block at a time. Blocks are read rather than memory-mapped: a file that
// another process shortens then causes an error, not a signal, and pipes and gzip files are read
// the same way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/byte_stream.hpp"

namespace prism::inline PRISM_ISA::detail::inline PRISM_ZLIB {

/// The bytes of a file that have been read but not yet used, in memory proportional to a block.
class TextBuffer {
 public:
  /// @param block_bytes  the number of bytes read at once, above 0
  /// @throws DataError  if the file cannot be read
  TextBuffer(const std::filesystem::path& path, std::size_t block_bytes)
      : bytes_(path),
        capacity_(block_bytes),
        buffer_(std::make_unique_for_overwrite<char[]>(block_bytes)) {}

  /// Appends as many bytes as fit to those not used yet; doubles the capacity if the buffer is
  /// full.
  /// @throws DataError  if reading fails
  void fill() {
    if (end_ - begin_ == capacity_) {
      auto larger = std::make_unique_for_overwrite<char[]>(2 * capacity_);
      std::memcpy(larger.get(), buffer_.get() + begin_, capacity_);
      buffer_ = std::move(larger);
      capacity_ *= 2;
    } else {
      std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    }
    end_ -= begin_;
    begin_ = 0;
    while (!at_end_ && end_ < capacity_) {
      const std::size_t wanted = std::min(capacity_ - end_, std::size_t{1} << 30);
      const std::size_t count = bytes_.read(buffer_.get() + end_, wanted);
      end_ += count;
      at_end_ = count < wanted;
    }
  }

  /// The bytes read but not used yet; valid until the next fill().
  [[nodiscard]] std::string_view text() const noexcept {
    return {buffer_.get() + begin_, end_ - begin_};
  }

  /// Marks the first bytes of text() as used.
  void use(std::size_t bytes) noexcept { begin_ += bytes; }

  /// Whether text() is the rest of the file.
  [[nodiscard]] bool at_end() const noexcept { return at_end_; }

  [[nodiscard]] const std::string& name() const noexcept { return bytes_.name(); }
  [[nodiscard]] bool is_gzip() const noexcept { return bytes_.is_gzip(); }

 private:
  ByteStream bytes_;
  std::size_t capacity_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0;  // of what is not used yet: [begin_, end_) of buffer_
  std::size_t end_ = 0;
  bool at_end_ = false;
};

}  // namespace prism::inline PRISM_ISA::detail::inline PRISM_ZLIB
