// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// The bytes of a regular file, and how many are left, so that a reader of an untrusted file can
/// check before it allocates.
class InputFile {
 public:
  /// @throws DataError  if the file does not exist, is not a regular file or cannot be opened
  explicit InputFile(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) fail("cannot be read: there is no such file");
    if (!std::filesystem::is_regular_file(status)) fail("cannot be read: it is not a regular file");
    file_.open(path, std::ios::binary);
    if (!file_) fail("cannot be read: it cannot be opened");
    file_.seekg(0, std::ios::end);
    size_ = static_cast<std::uint64_t>(file_.tellg());
    seek(0);
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - position_; }

  /// @param position  in [0, size()]
  void seek(std::uint64_t position) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(position));
    position_ = position;
  }

  /// @throws DataError  if fewer bytes are left, or reading fails
  void read(char* bytes, std::uint64_t count) {
    if (count > left()) fail("is truncated");
    file_.read(bytes, static_cast<std::streamsize>(count));
    if (!file_) fail("cannot be read");
    position_ += count;
  }

  /// @throws DataError  naming this file
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(name_, 0, problem); }

 private:
  std::string name_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace prism::inline PRISM_ISA
