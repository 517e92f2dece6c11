// SPDX-License-Identifier: BSD-3-Clause
// Functions that staged_files.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/staged_file.hpp"
#include "prism/serve/staged_files.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE StagedFiles::StagedFiles(std::filesystem::path directory)
    : directory_(std::move(directory)) {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (!error && !std::filesystem::is_directory(directory_)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (!error && ::access(directory_.c_str(), W_OK | X_OK) != 0) {
    error = std::make_error_code(static_cast<std::errc>(errno));
    throw DataError(directory_.string(), 0, "cannot be written: " + error.message());
  }
  if (error) throw DataError(directory_.string(), 0, "cannot be created: " + error.message());
}

}  // namespace prism::inline PRISM_ISA::detail
