// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file, decompressed if it is a gzip file. The only user of zlib, which is available
// if the build defines PRISM_HAS_ZLIB.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#if defined(PRISM_HAS_ZLIB)
#include <zlib.h>
#endif

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

// Part of the class's name, because its layout differs with and without zlib.
#if defined(PRISM_HAS_ZLIB)
inline namespace with_zlib {
#else
inline namespace without_zlib {
#endif

/// Reads a plain or gzip file from beginning to end; its content says which it is.
class ByteStream {
 public:
  /// @throws DataError  if the file does not exist, is not a regular file or cannot be read, or is
  ///                    a gzip file and the library was built without zlib
  explicit ByteStream(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) fail("does not exist");
    if (error) fail("cannot be read: " + error.message());
    if (std::filesystem::is_directory(status)) fail("is a directory, not a file");
    // The format is detected by reading the beginning twice, which a pipe does not allow.
    if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
    open();
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Reads up to `size` bytes; fewer only at the end of the file.
  /// @param size  in [1, 2^30]
  /// @return the number of bytes; 0 at the end
  /// @throws DataError  if reading fails, or the gzip data is corrupt or truncated
  [[nodiscard]] std::size_t read(char* buffer, std::size_t size);

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(name_, 0, problem); }
  [[noreturn]] void fail_to_open(int error) const {
    fail("cannot be opened: " + std::generic_category().message(error));
  }
  void open();

  std::string name_;
#if defined(PRISM_HAS_ZLIB)
  struct Close {
    void operator()(gzFile file) const noexcept { gzclose_r(file); }
  };
  std::unique_ptr<gzFile_s, Close> file_;
#else
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
#endif
};

#if defined(PRISM_HAS_ZLIB)

inline void ByteStream::open() {
  errno = 0;
  file_.reset(gzopen(name_.c_str(), "rb"));
  if (!file_) fail_to_open(errno);
  gzbuffer(file_.get(), 1U << 17);
}

inline std::size_t ByteStream::read(char* buffer, std::size_t size) {
  const int count = gzread(file_.get(), buffer, static_cast<unsigned>(size));
  // zlib reports a truncated gzip file together with the last bytes it decompresses.
  int error = Z_OK;
  const char* const message = gzerror(file_.get(), &error);
  if (error == Z_BUF_ERROR) fail("is a gzip file that ends too early");
  if (error == Z_ERRNO) fail("cannot be read: " + std::generic_category().message(errno));
  if (count < 0 || error != Z_OK) fail(std::string("is a corrupt gzip file: ") + message);
  return static_cast<std::size_t>(count);
}

#else

inline void ByteStream::open() {
  file_.reset(std::fopen(name_.c_str(), "rb"));
  if (!file_) fail_to_open(errno);
  std::array<unsigned char, 2> magic{};
  if (std::fread(magic.data(), 1, 2, file_.get()) == 2 && magic[0] == 0x1F && magic[1] == 0x8B) {
    fail("is a gzip file, and the library was built without zlib; unzip it first");
  }
  std::rewind(file_.get());
}

inline std::size_t ByteStream::read(char* buffer, std::size_t size) {
  const std::size_t count = std::fread(buffer, 1, size, file_.get());
  if (std::ferror(file_.get())) fail("cannot be read: " + std::generic_category().message(errno));
  return count;
}

#endif

}  // namespace with_zlib or without_zlib

}  // namespace prism::inline PRISM_ISA
