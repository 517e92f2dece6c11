// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/real_path.hpp"

namespace prism::inline PRISM_ISA {

/// A file that is written under a temporary name beside its own (with ".partial" appended) and gets
/// its own when publish() is called: until then, and if that fails or the process dies, the
/// previous file stays. A link is followed. What a dead process has left is overwritten by the next
/// one; of two that write at the same time, the second is refused. On a file system that cannot
/// lock files, such as some network file systems, only one may write at a time.
class StagedFile {
 public:
  /// @throws DataError  if the file cannot be created, if the name exists and is not a regular
  ///     file, or if another writer is writing it
  explicit StagedFile(const std::filesystem::path& path) : final_(target(path)), staged_(final_) {
    staged_ += ".partial";
    FileDescriptor file(
        ::open(staged_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    struct stat opened {
    }, named{};
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
    struct stat before {};
    if (::stat(final_.c_str(), &before) == 0) {
      mode_ = before.st_mode & 07777;
      if (::fchmod(descriptor_.get(), *mode_ | S_IWUSR) != 0) fail();
    }
    if (::ftruncate(descriptor_.get(), 0) != 0) fail();
  }
  StagedFile(StagedFile&& other) noexcept = default;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile() { discard(); }

  /// @throws DataError  if writing fails
  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ::ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  /// Flushes the file to disk and gives it its name. Nothing may be written afterwards.
  /// @throws DataError  if that fails
  void publish() {
    flush();
    rename();
    flush_name();
  }

  /// The parts of publish(), to be called in this order, for several files: flush the content to
  /// disk, give the file its name, flush the name to disk.
  /// @throws DataError  if that fails
  void flush() {
    if (::fsync(descriptor_.get()) != 0) fail();
  }
  void rename() {
    if (mode_ && ::fchmod(descriptor_.get(), *mode_) != 0) fail();
    std::error_code error;
    std::filesystem::rename(staged_, final_, error);
    if (error) throw DataError(final_.string(), 0, "cannot be written: " + error.message());
    descriptor_ = {};
  }
  void flush_name() const {
    // The name is on disk only once its directory is. Some file systems cannot flush one.
    const FileDescriptor directory(
        ::open(final_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.get());
  }

 private:
  /// The file that a path leads to: renaming over a link or a device would replace that itself.
  static std::filesystem::path target(const std::filesystem::path& path) {
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

  [[noreturn]] void fail() {
    const std::string problem =
        "cannot be written: " + std::make_error_code(static_cast<std::errc>(errno)).message();
    discard();
    throw DataError(final_.string(), 0, problem);
  }

  void discard() noexcept {
    if (!descriptor_) return;
    ::unlink(staged_.c_str());
    descriptor_ = {};
  }

  std::filesystem::path final_;
  std::filesystem::path staged_;
  std::optional<::mode_t> mode_;  // of the file that it replaces
  FileDescriptor descriptor_;
};

}  // namespace prism::inline PRISM_ISA
