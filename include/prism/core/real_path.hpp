// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <system_error>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The absolute path of the file or folder that a path leads to, whether or not that exists. Links
/// are followed, also one that leads to nothing yet, which weakly_canonical() takes for the file.
[[nodiscard]] PRISM_INLINE std::filesystem::path real_path(const std::filesystem::path& path,
                                                           std::error_code& error);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/core/real_path.inl.hpp"
#endif
