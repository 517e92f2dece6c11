// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file or a pipe, decompressed if they are gzip data. The only user of zlib, which
// is available if the build defines PRISM_HAS_ZLIB.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#if defined(PRISM_HAS_ZLIB)
#include <zlib.h>
#endif

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/zlib.hpp"

namespace prism::inline PRISM_ISA::detail::inline PRISM_ZLIB {

/// Reads a file or a pipe once, from beginning to end. The content tells whether it is plain or
/// gzip.
class ByteStream {
 public:
  /// @throws DataError  if the file does not exist, is neither a file nor a pipe, or cannot be
  ///                    read; for a gzip file if the library was built without zlib
  explicit ByteStream(const std::filesystem::path& path)
      : name_(path.string()), input_(std::size_t{1} << 17) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) {
      fail(name_ == "-" ? "does not exist; the standard input is /dev/stdin" : "does not exist");
    }
    if (error) fail("cannot be read: " + error.message());
    if (std::filesystem::is_directory(status))
      fail(
          "is a directory, not a file; join its files into one, as with cat, or pass them to "
          "read_parts");
    if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_fifo(status)) {
      fail("is neither a regular file nor a pipe");
    }
    errno = 0;
    file_.reset(std::fopen(name_.c_str(), "rb"));
    if (!file_) fail("cannot be opened: " + std::generic_category().message(errno));
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    refill();
    gzip_ = std::string_view(input_.data(), end_).starts_with("\x1F\x8B");
    if (gzip_) start_gzip();
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool is_gzip() const noexcept { return gzip_; }

  /// Reads up to `size` bytes; fewer only at the end of the file.
  /// @param size  in [1, 2^30]
  /// @return the number of bytes; 0 at the end
  /// @throws DataError  if reading fails, or the gzip data is corrupt, truncated, or followed by
  ///                    something else
  [[nodiscard]] std::size_t read(char* buffer, std::size_t size) {
    if (gzip_) return decompress(buffer, size);
    const std::size_t first = std::min(size, end_ - begin_);
    std::memcpy(buffer, input_.data() + begin_, first);
    begin_ += first;
    return first + (first < size ? read_raw(buffer + first, size - first) : 0);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(name_, 0, problem); }

  std::size_t read_raw(char* buffer, std::size_t size) {
    errno = 0;
    const std::size_t count = std::fread(buffer, 1, size, file_.get());
    if (std::ferror(file_.get()) != 0) {
      fail("cannot be read: " + std::generic_category().message(errno));
    }
    return count;
  }

  /// Reads the next raw bytes of the file; false at its end.
  bool refill() {
    begin_ = 0;
    end_ = read_raw(input_.data(), input_.size());
    return end_ > 0;
  }

  void start_gzip();
  std::size_t decompress(char* buffer, std::size_t size);

  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> input_;  // raw bytes of the file; not yet used: [begin_, end_)
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool gzip_ = false;

#if defined(PRISM_HAS_ZLIB)
  bool next_member();

  struct EndInflate {
    void operator()(z_stream* stream) const noexcept {
      inflateEnd(stream);
      delete stream;
    }
  };
  std::unique_ptr<z_stream, EndInflate> inflate_;
  bool in_member_ = false;
#endif
};

#if defined(PRISM_HAS_ZLIB)

inline void ByteStream::start_gzip() {
  auto stream = std::make_unique<z_stream>();
  if (inflateInit2(stream.get(), 15 + 16) != Z_OK) fail("cannot be decompressed: zlib has failed");
  inflate_.reset(stream.release());
}

/// Whether another gzip member begins at the next byte. zlib's own reader would take anything else,
/// such as a member whose first bytes are damaged, for the end of the file.
inline bool ByteStream::next_member() {
  bool zeros = false;  // files from a tape end in zeros
  for (; begin_ < end_ || refill(); ++begin_) {
    if (input_[begin_] == '\x1F' && !zeros) {
      inflateReset(inflate_.get());
      in_member_ = true;
      return true;
    }
    if (input_[begin_] != '\0') {
      fail("is a corrupt gzip file: it has a member that is followed by other data");
    }
    zeros = true;
  }
  return false;
}

inline std::size_t ByteStream::decompress(char* buffer, std::size_t size) {
  z_stream& stream = *inflate_;
  stream.next_out = reinterpret_cast<Bytef*>(buffer);
  stream.avail_out = static_cast<uInt>(size);
  while (stream.avail_out > 0) {
    if (!in_member_ && !next_member()) break;
    if (begin_ == end_ && !refill()) fail("is a truncated gzip file");
    stream.next_in = reinterpret_cast<Bytef*>(input_.data() + begin_);
    stream.avail_in = static_cast<uInt>(end_ - begin_);
    const int result = inflate(&stream, Z_NO_FLUSH);
    begin_ = end_ - stream.avail_in;
    if (result == Z_STREAM_END) {
      in_member_ = false;
    } else if (result == Z_MEM_ERROR) {
      fail("cannot be decompressed: zlib is out of memory");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      fail(std::string("is a corrupt gzip file: ") +
           (stream.msg != nullptr ? stream.msg : "it needs a dictionary"));
    }
  }
  return size - stream.avail_out;
}

#else

inline void ByteStream::start_gzip() {
  fail("is a gzip file, but the library was built without zlib; decompress it first");
}
inline std::size_t ByteStream::decompress(char*, std::size_t) { return 0; }

#endif

}  // namespace prism::inline PRISM_ISA::detail::inline PRISM_ZLIB
