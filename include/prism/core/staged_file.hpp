// SPDX-License-Identifier: BSD-3-Clause
// A file that appears whole or not at all.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A file that is written under a temporary name beside its own (with ".partial" appended) and gets
/// its own when publish() is called: until then, and if that fails or the process dies, the
/// previous file stays. A link is followed. What a dead process has left is overwritten by the next
/// one; of two that write at the same time, the second is refused. On a file system that cannot
/// lock files, such as some network file systems, only one may write at a time.
class StagedFile {
 public:
  /// @throws DataError  if the file cannot be created, if the name exists and is not a regular
  ///     file, or if another writer is writing it
  explicit StagedFile(const std::filesystem::path& path);
  StagedFile(StagedFile&& other) noexcept = default;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile() { discard(); }

  /// @throws DataError  if writing fails
  void write(std::string_view bytes);

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
  void rename();
  void flush_name() const {
    // The name is on disk only once its directory is. Some file systems cannot flush one.
    const FileDescriptor directory(
        ::open(final_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) ::fsync(directory.get());
  }

 private:
  /// The file that a path leads to: renaming over a link or a device would replace that itself.
  static std::filesystem::path target(const std::filesystem::path& path);

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

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/core/staged_file.inl.hpp"
#endif
