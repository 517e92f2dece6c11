// SPDX-License-Identifier: BSD-3-Clause
// Writes several files, none of which takes its name before all are on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/staged_file.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Files of one directory that appear under their names only once all of them are completely
/// written and on disk. Until then, and if that fails, existing files are kept; links are followed.
/// The names are given by one rename after the other: a process that is killed between two of them,
/// or a rename that fails, leaves new files beside old ones. StagedFolder replaces a folder as a
/// whole.
class StagedFiles {
 public:
  /// @throws DataError  if the directory cannot be created or written
  explicit StagedFiles(std::filesystem::path directory);

  /// @throws DataError  if the name exists and is not a regular file, or writing fails
  void write(const std::string& name, const std::string& content) {
    files_.emplace_back(directory_ / name).write(content);
  }

  /// @throws DataError  if a file cannot be written to disk: then none has taken its name; or if it
  ///     cannot take its name: then the files before it have taken theirs
  void publish() {
    for (StagedFile& file : files_) file.flush();
    for (StagedFile& file : files_) file.rename();
    for (const StagedFile& file : files_) file.flush_name();
    files_.clear();
  }

 private:
  std::filesystem::path directory_;
  std::vector<StagedFile> files_;
};

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/serve/staged_files.inl.hpp"
#endif
