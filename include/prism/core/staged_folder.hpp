// SPDX-License-Identifier: BSD-3-Clause
// A folder of files that appears whole or not at all.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A folder that is written under a temporary name beside its own ("NAME.partial-PROCESS-NUMBER")
/// and gets its own by one rename when publish() is called; until then, and if that fails or the
/// process is killed, the previous folder stays. publish() exchanges the previous folder with the
/// new one and then removes it. Of two processes that write one folder, the later publish() wins.
/// The next process removes what a killed one has left, or restores it: on a file system that
/// cannot exchange two names, a process that is killed in publish() may leave the previous folder
/// under another name.
class StagedFolder {
 public:
  /// @param path  of the folder; missing parents are created
  /// @throws DataError  if it cannot be created, or the name belongs to something other than a
  ///     folder
  explicit StagedFolder(const std::filesystem::path& path);
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  ~StagedFolder() {
    if (staged_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(staged_, ignored);
  }

  /// Where to write its files, which must be on disk before publish().
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return staged_; }
  /// The name that publish() gives it.
  [[nodiscard]] const std::filesystem::path& final_path() const noexcept { return final_; }

  /// Gives the folder its name. Nothing may be written afterwards.
  /// @throws DataError  if that fails
  void publish();

 private:
  static constexpr std::string_view mark = ".partial-";
  static constexpr std::string_view aside_mark = "-replaced";

  /// The folder that a path leads to: renaming over a link would replace the link.
  static std::filesystem::path target(const std::filesystem::path& path);

  /// A number that no folder's name has had before: a process that locks an abandoned folder
  /// removes it by name, and the name must not belong to another folder by then.
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> next{static_cast<std::uint64_t>(
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1))};
    return next++;
  }

  /// Creates a folder with a name that no other process uses, and locks it: a lock ends with its
  /// process.
  void make_staged();

  enum class Lock { required, if_possible };  // some network file systems cannot lock folders

  /// Returns a folder's descriptor, locked; or none, with errno set, if another process holds the
  /// lock (EWOULDBLOCK) or the folder is gone (ENOENT).
  static FileDescriptor locked(const std::filesystem::path& path, Lock lock);

  /// Whether a name's end is one that make_staged() or exchange() gives: "PROCESS-NUMBER", or that
  /// with aside_mark.
  static bool is_staged_name(std::string_view name);

  void recover_abandoned() const;

  /// Exchanges the new folder with the previous one; staged_ is then the replaced one.
  /// @return a lock on the replaced folder, so that no process takes it for abandoned; none if
  ///     another process is replacing it at the same time
  FileDescriptor exchange();

  [[noreturn]] void fail_with_errno() const {
    fail(std::error_code(errno, std::generic_category()));
  }
  [[noreturn]] void fail(const std::error_code& error) const {
    throw DataError(final_.string(), 0, "cannot be written: " + error.message());
  }

  std::filesystem::path final_;
  std::filesystem::path staged_;  // empty once there is nothing to remove
  FileDescriptor staged_lock_;
};

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/core/staged_folder.inl.hpp"
#endif
