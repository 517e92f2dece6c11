// SPDX-License-Identifier: BSD-3-Clause
// Files written all or nothing.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// Files of one directory that appear under their names only once all of them are completely
/// written. Until then, and if writing fails, existing files are kept; links are followed.
class StagedFiles {
 public:
  /// @throws DataError  if the directory cannot be created or written
  explicit StagedFiles(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (!error && !std::filesystem::is_directory(directory_)) {
      error = std::make_error_code(std::errc::not_a_directory);
    }
    if (error) throw DataError(directory_.string(), 0, "cannot be created: " + error.message());
    if (::access(directory_.c_str(), W_OK | X_OK) != 0) {
      throw DataError(directory_.string(), 0, "cannot be written: " + last_error());
    }
  }
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;
  ~StagedFiles() {
    std::error_code ignored;
    for (const File& file : files_) std::filesystem::remove(file.staged, ignored);
  }

  /// @throws DataError  if the name exists and is not a regular file, or writing fails
  void write(const std::string& name, const std::string& content) {
    const std::filesystem::path final = target(directory_ / name);
    std::filesystem::path staged = final;
    staged += ".partial-" + std::to_string(::getpid());
    files_.push_back({staged, final});
    errno = 0;
    std::ofstream file(staged, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw DataError(final.string(), 0, "cannot be written: " + last_error());
  }

  void publish() {
    for (const File& file : files_) {
      std::error_code error;
      std::filesystem::rename(file.staged, file.final, error);
      if (error) {
        throw DataError(file.final.string(), 0, "cannot be written: " + error.message());
      }
    }
    files_.clear();
  }

 private:
  struct File {
    std::filesystem::path staged;
    std::filesystem::path final;
  };

  static std::string last_error() {
    return std::make_error_code(static_cast<std::errc>(errno)).message();
  }

  /// The file a name resolves to: renaming onto a link would replace the link, onto a device the
  /// device.
  static std::filesystem::path target(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    if (error) throw DataError(path.string(), 0, "cannot be written: " + error.message());
    const auto status = std::filesystem::status(real, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      throw DataError(path.string(), 0, "cannot be written: it exists and is not a regular file");
    }
    return real;
  }

  std::filesystem::path directory_;
  std::vector<File> files_;
};

}  // namespace prism::inline PRISM_ISA
