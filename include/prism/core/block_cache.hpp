// SPDX-License-Identifier: BSD-3-Clause
// Freed blocks of memory, kept for requests of the same size.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Keeps freed blocks for requests of the same size, where allocating takes long: a device's, which
/// waits for all that was begun. What each validation or step allocates is of the same sizes.
class BlockCache {
 public:
  /// @return a block of this size that was kept, or null
  [[nodiscard]] void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = blocks_.find(bytes);
    if (found == blocks_.end()) return nullptr;
    void* const block = found->second;
    blocks_.erase(found);
    size_ -= bytes;
    return block;
  }

  /// Keeps a block that nobody uses any more.
  /// @param max_size  bytes of all blocks that are kept
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

}  // namespace prism::inline PRISM_ISA
