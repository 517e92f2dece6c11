// SPDX-License-Identifier: BSD-3-Clause
// Functions that staged_file.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/real_path.hpp"
#include "prism/core/staged_file.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE StagedFile::StagedFile(const std::filesystem::path& path)
    : final_(target(path)), staged_(final_) {
  staged_ += ".partial";
  FileDescriptor file(
      ::open(staged_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
  struct stat opened{}, named{};
  if ((!file && errno == ELOOP) ||
      (file && ::fstat(file.get(), &opened) == 0 && !S_ISREG(opened.st_mode))) {
    throw DataError(final_.string(), 0,
                    "cannot be written: " + staged_.string() + " is not a regular file");
  }
  if (!file) fail();
  descriptor_ = std::move(file);
  // The opened file may no longer have this name: another writer may have published it since.
  const bool locked = ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0;
  const bool in_use = !locked && errno == EWOULDBLOCK;
  const bool no_locks = !locked && (errno == ENOLCK || errno == ENOTSUP || errno == ENOSYS);
  if (!locked && !in_use && !no_locks) fail();
  if (in_use || ::stat(staged_.c_str(), &named) != 0 || opened.st_ino != named.st_ino) {
    descriptor_ = {};
    throw DataError(final_.string(), 0, "cannot be written: another process is writing it");
  }
  // Takes over the permissions of the file that it replaces, so that nobody can read more than
  // before. Until it has its name, its owner may also write to it: it may be left behind.
  struct stat before{};
  if (::stat(final_.c_str(), &before) == 0) {
    mode_ = before.st_mode & 07777;
    if (::fchmod(descriptor_.get(), *mode_ | S_IWUSR) != 0) fail();
  }
  if (::ftruncate(descriptor_.get(), 0) != 0) fail();
}

PRISM_INLINE void StagedFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

PRISM_INLINE void StagedFile::rename() {
  if (mode_ && ::fchmod(descriptor_.get(), *mode_) != 0) fail();
  std::error_code error;
  std::filesystem::rename(staged_, final_, error);
  if (error) throw DataError(final_.string(), 0, "cannot be written: " + error.message());
  descriptor_ = {};
}

PRISM_INLINE std::filesystem::path StagedFile::target(const std::filesystem::path& path) {
  if (!path.has_filename()) {
    throw DataError(path.string(), 0, "cannot be written: it is not the name of a file");
  }
  std::error_code error;
  const std::filesystem::path real = real_path(path, error);
  if (error) throw DataError(path.string(), 0, "cannot be written: " + error.message());
  const auto status = std::filesystem::status(real, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw DataError(path.string(), 0, "cannot be written: it exists and is not a regular file");
  }
  return real;
}

}  // namespace prism::inline PRISM_ISA::detail
