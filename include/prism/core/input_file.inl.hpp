// SPDX-License-Identifier: BSD-3-Clause
// Functions that input_file.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/input_file.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE InputFile::InputFile(int folder, const std::string& file, std::string name)
    : name_(std::move(name)) {
  struct stat status{};
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

PRISM_INLINE void InputFile::read(char* bytes, std::uint64_t count) {
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

}  // namespace prism::inline PRISM_ISA::detail
