// SPDX-License-Identifier: BSD-3-Clause
// Functions that cpu_quota.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/cpu_quota.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The CPUs that a control group itself allows, by Linux's cpu.max (version 2) or
/// cpu.cfs_quota_us and cpu.cfs_period_us (version 1).
[[nodiscard]] inline std::optional<double> quota_of_group(const std::filesystem::path& folder) {
  double quota = -1, period = 0;
  std::ifstream version_2(folder / "cpu.max");
  if (version_2) {
    if (!(version_2 >> quota >> period)) return std::nullopt;  // "max"
  } else {
    std::ifstream(folder / "cpu.cfs_quota_us") >> quota;  // -1: none
    std::ifstream(folder / "cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace detail

PRISM_INLINE std::optional<std::size_t> cpu_quota(const std::filesystem::path& root) {
  std::optional<double> least;
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // number:controllers:path, where version 2 has no controllers
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool version_2 = controllers == ",,";
    if (!version_2 && controllers.find(",cpu,") == std::string::npos) continue;
    const std::filesystem::path mounted =
        root / (version_2 ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
    // A group may use no more than those that contain it. In a container the path may begin above
    // what is mounted: the folders that do not exist there have no quota.
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      if (const auto quota = detail::quota_of_group(mounted / group)) {
        least = std::min(least.value_or(*quota), *quota);
      }
      if (group.empty()) break;
    }
  }
  if (!least) return std::nullopt;
  constexpr double most = 1 << 20;
  return static_cast<std::size_t>(std::clamp(std::ceil(*least), 1.0, most));
}

}  // namespace prism::inline PRISM_ISA
