// SPDX-License-Identifier: BSD-3-Clause
// Functions that real_path.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <filesystem>
#include <system_error>

#include "prism/core/config.hpp"
#include "prism/core/real_path.hpp"

namespace prism::inline PRISM_ISA::detail {

PRISM_INLINE std::filesystem::path real_path(const std::filesystem::path& path,
                                             std::error_code& error) {
  constexpr int max_links = 40;  // as Linux
  std::filesystem::path real = std::filesystem::absolute(path, error);
  if (!real.has_filename()) real = real.parent_path();  // a trailing slash
  for (int links = 0; !error; ++links) {
    real = std::filesystem::weakly_canonical(real, error);
    std::error_code missing;
    if (error || !std::filesystem::is_symlink(real, missing)) break;
    if (links == max_links) error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
    const std::filesystem::path to = std::filesystem::read_symlink(real, missing);
    if (missing) error = missing;
    real = real.parent_path() / to;
  }
  return real;
}

}  // namespace prism::inline PRISM_ISA::detail
