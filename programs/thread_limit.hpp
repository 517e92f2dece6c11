// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <prism/core/cpu_quota.hpp>
#include <prism/execution/host.hpp>

namespace programs {

/// Limits a program's threads during its lifetime: to those of --threads, or else to the CPUs of a
/// container's quota, if it has one.
class DefaultThreads {
 public:
  explicit DefaultThreads(std::optional<std::size_t> threads) {
    if (!threads) threads = prism::cpu_quota();
    if (threads) limit_.emplace(*threads);
  }

 private:
  std::optional<prism::ThreadLimit> limit_;
};

}  // namespace programs
