// SPDX-License-Identifier: BSD-3-Clause
// Functions that staged_folder.hpp declares; it includes them unless PRISM_COMPILED is defined.
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
#include <string_view>
#include <system_error>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/real_path.hpp"
#include "prism/core/staged_folder.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE StagedFolder::StagedFolder(const std::filesystem::path& path) : final_(target(path)) {
  std::error_code error;
  std::filesystem::create_directories(final_.parent_path(), error);
  if (error) fail(error);
  recover_abandoned();
  make_staged();
}

PRISM_INLINE void StagedFolder::publish() {
  // Takes over the permissions of the folder that it replaces, so that nobody can read more than
  // before.
  struct stat before{};
  if (::stat(final_.c_str(), &before) == 0 &&
      ::fchmod(staged_lock_.get(), before.st_mode & 07777) != 0) {
    fail_with_errno();
  }
  if (::fsync(staged_lock_.get()) != 0 && errno != EINVAL) fail_with_errno();
  std::error_code error;
  std::filesystem::rename(staged_, final_, error);  // works if there is none, or an empty one
  FileDescriptor replaced_lock;                     // held until the replaced folder is removed
  if (!error) {
    staged_.clear();
  } else if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    replaced_lock = exchange();
  } else {
    fail(error);
  }
  // The name is on disk only once the parent is. Some file systems cannot flush one.
  const FileDescriptor parent(
      ::open(final_.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent) ::fsync(parent.get());
  if (staged_.empty()) return;
  std::filesystem::permissions(staged_, std::filesystem::perms::owner_all,
                               std::filesystem::perm_options::add, error);
  std::filesystem::remove_all(staged_, error);  // the replaced one; a failure loses nothing
  staged_.clear();
}

PRISM_INLINE std::filesystem::path StagedFolder::target(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path real = real_path(path, error);
  if (error || real == real.root_path()) {
    throw DataError(
        path.string(), 0,
        "cannot be written: " + (error ? error.message() : "it is not the name of a folder"));
  }
  const auto status = std::filesystem::status(real, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    throw DataError(path.string(), 0, "cannot be written: it exists and is not a folder");
  }
  return real;
}

PRISM_INLINE void StagedFolder::make_staged() {
  constexpr std::size_t max_attempts = 1000;
  for (std::size_t attempt = 0; attempt < max_attempts; ++attempt) {
    const std::string name = final_.string() + std::string(mark) + std::to_string(::getpid()) +
                             "-" + std::to_string(next_number());
    if (::mkdir(name.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      fail_with_errno();
    }
    staged_lock_ = locked(name, Lock::if_possible);
    if (staged_lock_) {
      staged_ = name;
      return;
    }
    // Unless another process took it for abandoned before it was locked, it cannot be locked at
    // all.
    if (errno == EWOULDBLOCK || errno == ENOENT) continue;
    const int error = errno;
    ::rmdir(name.c_str());
    fail(std::error_code(error, std::generic_category()));
  }
  fail(std::make_error_code(std::errc::file_exists));
}

PRISM_INLINE FileDescriptor StagedFolder::locked(const std::filesystem::path& path, Lock lock) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat opened{}, named{};
  if (!folder || ::fstat(folder.get(), &opened) != 0) return {};
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 &&
      (lock == Lock::required || errno == EWOULDBLOCK)) {
    return {};
  }
  if (::stat(path.c_str(), &named) != 0) return {};
  if (opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) {
    errno = ENOENT;
    return {};
  }
  return folder;
}

PRISM_INLINE bool StagedFolder::is_staged_name(std::string_view name) {
  const std::string_view digits = "0123456789";
  if (name.ends_with(aside_mark)) name.remove_suffix(aside_mark.size());
  const std::size_t dash = name.find('-');
  return dash != 0 && dash != std::string_view::npos && dash + 1 < name.size() &&
         name.find_first_not_of(digits) == dash &&
         name.find_first_not_of(digits, dash + 1) == std::string_view::npos;
}

PRISM_INLINE void StagedFolder::recover_abandoned() const {
  const std::string begin = final_.filename().string() + std::string(mark);
  std::error_code error;
  std::vector<std::filesystem::path> abandoned;
  std::filesystem::directory_iterator entry(final_.parent_path(), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && is_staged_name(std::string_view(name).substr(begin.size()))) {
      abandoned.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& path : abandoned) {
    const FileDescriptor lock = locked(path, Lock::required);
    if (!lock) continue;
    const bool stood_there = path.string().ends_with(aside_mark);
    if (stood_there && !std::filesystem::exists(final_, error)) {
      std::filesystem::rename(path, final_, error);
    } else {
      std::filesystem::remove_all(path, error);
    }
  }
}

PRISM_INLINE FileDescriptor StagedFolder::exchange() {
  FileDescriptor replaced_lock = locked(final_, Lock::required);
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, staged_.c_str(), AT_FDCWD, final_.c_str(), RENAME_EXCHANGE) == 0) {
    return replaced_lock;
  }
  if (errno != EINVAL && errno != ENOSYS) fail_with_errno();
#endif
  // A file system that cannot exchange: between the two renames nothing has the name.
  const std::filesystem::path aside = staged_.string() + std::string(aside_mark);
  std::error_code error;
  std::filesystem::rename(final_, aside, error);
  if (error) fail(error);
  std::filesystem::rename(staged_, final_, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::rename(aside, final_, ignored);
    fail(error);
  }
  staged_ = aside;
  return replaced_lock;
}

}  // namespace prism::inline PRISM_ISA::detail
