// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// The number of CPUs whose time a container may use, rounded up, at least 1; empty if there is no
/// quota. oneTBB starts a thread for each of the machine's cores: under a quota they wait for each
/// other, and ThreadLimit(*cpu_quota()) is faster.
/// @param root  where /proc and /sys are; for tests
[[nodiscard]] PRISM_INLINE std::optional<std::size_t> cpu_quota(
    const std::filesystem::path& root = "/");

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/core/cpu_quota.inl.hpp"
#endif
