// SPDX-License-Identifier: BSD-3-Clause
// Freed blocks of memory, kept for requests of the same size.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Keeps freed blocks for requests of the same size, where allocation is slow: on a device it waits
/// for all pending work. Each validation and each training step allocates blocks of the same sizes.
class BlockCache {
 public:
  /// @return a kept block of this size, or null
  [[nodiscard]] void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(bytes);
    if (found == blocks_.end()) return nullptr;
    void* const block = found->second;
    blocks_.erase(found);
    size_ -= bytes;
    return block;
  }

  /// Keeps a block that is no longer used.
  /// @param max_size  limit on the bytes of all kept blocks
  /// @return whether it is kept
  [[nodiscard]] bool keep(void* block, std::size_t bytes, std::size_t max_size) noexcept {
    try {
      const std::scoped_lock lock(mutex_);
      if (bytes > max_size || size_ > max_size - bytes) return false;
      blocks_.emplace(bytes, block);
      size_ += bytes;
      return true;
    } catch (...) {  // no memory for the entry
      return false;
    }
  }

  /// Calls free(block, bytes) for each block and forgets it.
  template <class Free>
  void clear(const Free& free) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [bytes, block] : blocks_) free(block, bytes);
    blocks_.clear();
    size_ = 0;
  }

 private:
  std::mutex mutex_;
  std::multimap<std::size_t, void*> blocks_;  // by size
  std::size_t size_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail
