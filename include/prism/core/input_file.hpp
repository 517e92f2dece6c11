// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"

namespace prism::inline PRISM_ISA {

/// The bytes of a regular file, and how many are left, so that a reader of an untrusted file can
/// check before it allocates.
class InputFile {
 public:
  /// @throws DataError  if the file does not exist, is not a regular file or cannot be opened
  explicit InputFile(const std::filesystem::path& path)
      : InputFile(AT_FDCWD, path.string(), path.string()) {}

  /// A file of an open folder, whatever the folder's name is by now.
  /// @param folder  descriptor
  /// @param name    in errors
  InputFile(int folder, const std::string& file, std::string name) : name_(std::move(name)) {
    struct stat status {};
    // Before it is opened: opening a pipe waits for its writer.
    if (::fstatat(folder, file.c_str(), &status, 0) != 0) {
      fail(errno == ENOENT || errno == ENOTDIR ? "cannot be read: there is no such file"
                                               : "cannot be read: it cannot be opened");
    }
    if (!S_ISREG(status.st_mode)) fail("cannot be read: it is not a regular file");
    file_ = FileDescriptor(::openat(folder, file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file_ || ::fstat(file_.get(), &status) != 0) fail("cannot be read: it cannot be opened");
    size_ = static_cast<std::uint64_t>(status.st_size);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - position_; }

  /// @param position  in [0, size()]
  void seek(std::uint64_t position) noexcept { position_ = position; }

  /// @throws DataError  if fewer bytes are left, or reading fails
  void read(char* bytes, std::uint64_t count) {
    if (count > left()) fail("is truncated");
    while (count > 0) {
      const auto part = static_cast<std::size_t>(std::min(count, max_read));
      const ::ssize_t done = ::pread(file_.get(), bytes, part, static_cast<::off_t>(position_));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail("cannot be read");  // 0: it has become shorter
      bytes += done;
      count -= static_cast<std::uint64_t>(done);
      position_ += static_cast<std::uint64_t>(done);
    }
  }

  /// @throws DataError  naming this file
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(name_, 0, problem); }

 private:
  static constexpr std::uint64_t max_read = std::uint64_t{1} << 30;

  std::string name_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace prism::inline PRISM_ISA
