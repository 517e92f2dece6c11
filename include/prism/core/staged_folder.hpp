// SPDX-License-Identifier: BSD-3-Clause
// A folder of files that is there whole, or not at all.
#pragma once

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"

namespace prism::inline PRISM_ISA {

/// A folder that is written under another name beside its own and takes its own by one rename when
/// publish() is called; until then, and where that fails or the process is killed, what stood there
/// stays. A folder there is exchanged with it and then removed. Of two processes that write one
/// folder, the later publish() wins. What a killed process has left is removed by the next one.
class StagedFolder {
 public:
  /// @param path  of the folder; its parents are made
  /// @throws DataError  where it cannot be made, or the name belongs to something else than a
  /// folder
  explicit StagedFolder(const std::filesystem::path& path) : final_(target(path)) {
    std::error_code error;
    std::filesystem::create_directories(final_.parent_path(), error);
    if (error) fail(error);
    remove_abandoned();
    make_staged();
  }
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;
  ~StagedFolder() {
    if (staged_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove_all(staged_, ignored);
  }

  /// Where its files are to be written; they must be on the disk before publish().
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return staged_; }
  /// The name that it takes.
  [[nodiscard]] const std::filesystem::path& final_path() const noexcept { return final_; }

  /// Gives it its name. Nothing may be written after.
  /// @throws DataError  where that fails
  void publish() {
    if (::fsync(lock_.get()) != 0) fail_with_errno();
    std::error_code error;
    std::filesystem::rename(staged_, final_, error);  // works where there is none, or an empty one
    if (!error) {
      staged_.clear();
    } else if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
      exchange();
    } else {
      fail(error);
    }
    // The name is on the disk only once the parent is. Some file systems know no such thing.
    const FileDescriptor parent(
        ::open(final_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent) ::fsync(parent.get());
    if (staged_.empty()) return;
    std::filesystem::remove_all(staged_, error);  // what it replaces; a failure loses nothing
    staged_.clear();
  }

 private:
  static constexpr const char* mark = ".partial-";

  /// What a name leads to: renaming over a link would cut it off.
  static std::filesystem::path target(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::path real = std::filesystem::absolute(path, error);
    if (!error) real = std::filesystem::weakly_canonical(real, error);
    if (!real.has_filename()) real = real.parent_path();  // a slash at its end
    if (error || real == real.root_path()) {
      throw DataError(path.string(), 0,
                      "cannot be written: " + (error ? error.message() : "it is no folder's name"));
    }
    const auto status = std::filesystem::status(real, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
      throw DataError(path.string(), 0, "cannot be written: it exists and is not a folder");
    }
    return real;
  }

  /// Makes a folder of a name that no other process has, and locks it: a lock ends with its
  /// process.
  void make_staged() {
    for (std::size_t attempt = 0;; ++attempt) {
      const std::string name =
          final_.string() + mark + std::to_string(::getpid()) + "-" + std::to_string(attempt);
      if (::mkdir(name.c_str(), 0777) != 0) {
        if (errno == EEXIST) continue;
        fail_with_errno();
      }
      lock_ = locked(name, Lock::if_possible);
      if (!lock_) continue;  // it was taken for an abandoned one before it was locked
      staged_ = name;
      break;
    }
    // Who could not read the folder before cannot read the one that takes its place.
    struct stat before {};
    if (::stat(final_.c_str(), &before) == 0 &&
        ::fchmod(lock_.get(), before.st_mode & 07777) != 0) {
      fail_with_errno();
    }
  }

  enum class Lock { required, if_possible };  // some network file systems lock no folders

  /// A folder's descriptor with a lock, or none if another process has it or it is gone.
  static FileDescriptor locked(const std::filesystem::path& path, Lock lock) {
    FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat opened {
    }, named{};
    const bool found = folder && ::fstat(folder.get(), &opened) == 0;
    const bool has_lock = found && (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 ||
                                    (lock == Lock::if_possible && errno != EWOULDBLOCK));
    const bool ours = has_lock && ::stat(path.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    return ours ? std::move(folder) : FileDescriptor();
  }

  void remove_abandoned() const {
    const std::string begin = final_.filename().string() + mark;
    std::error_code error;
    std::vector<std::filesystem::path> abandoned;
    std::filesystem::directory_iterator entry(final_.parent_path(), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      if (entry->path().filename().string().starts_with(begin)) abandoned.push_back(entry->path());
    }
    for (const std::filesystem::path& path : abandoned) {
      if (locked(path, Lock::required)) std::filesystem::remove_all(path, error);
    }
  }

  /// Exchanges it with the folder that stands there; staged_ is the replaced one then.
  void exchange() {
#ifdef RENAME_EXCHANGE
    // So that nobody takes the replaced folder for an abandoned one while it is removed. Where
    // somebody else is just replacing it, it is theirs to remove.
    const FileDescriptor replaced = locked(final_, Lock::required);
    if (::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) == 0) {
      return;
    }
    if (errno != EINVAL && errno != ENOSYS) fail_with_errno();
#endif
    // A file system without an exchange: between two renames nothing has the name.
    const std::filesystem::path aside = staged_.string() + "-replaced";
    std::error_code error;
    std::filesystem::rename(final_, aside, error);
    if (!error) std::filesystem::rename(staged_, final_, error);
    if (error) {
      std::error_code ignored;
      std::filesystem::rename(aside, final_, ignored);
      fail(error);
    }
    staged_ = aside;
  }

  [[noreturn]] void fail_with_errno() const {
    fail(std::error_code(errno, std::generic_category()));
  }
  [[noreturn]] void fail(const std::error_code& error) const {
    throw DataError(final_.string(), 0, "cannot be written: " + error.message());
  }

  std::filesystem::path final_;
  std::filesystem::path staged_;  // empty once there is nothing to remove
  FileDescriptor lock_;
};

}  // namespace prism::inline PRISM_ISA
