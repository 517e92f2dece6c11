// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"

namespace prism::inline PRISM_ISA::detail {

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
  InputFile(int folder, const std::string& file, std::string name);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - position_; }

  /// @param position  in [0, size()]
  void seek(std::uint64_t position) noexcept { position_ = position; }

  /// @throws DataError  if fewer bytes are left, or reading fails
  void read(char* bytes, std::uint64_t count);

  /// @throws DataError  naming this file
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(name_, 0, problem); }

 private:
  static constexpr std::uint64_t max_read = std::uint64_t{1} << 30;

  std::string name_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/core/input_file.inl.hpp"
#endif
