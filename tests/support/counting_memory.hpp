// SPDX-License-Identifier: BSD-3-Clause
// A memory resource that knows what was allocated from it.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <map>
#include <memory_resource>
#include <prism/core/memory.hpp>

namespace test {

class CountingMemory final : public std::pmr::memory_resource {
 public:
  /// Whether an address is in a block that has not been returned.
  [[nodiscard]] bool holds(const void* address) const {
    const auto* const byte = static_cast<const std::byte*>(address);
    const auto after = blocks_.upper_bound(byte);
    if (after == blocks_.begin()) return false;
    const auto& [begin, size] = *std::prev(after);
    return byte < begin + size;
  }
  /// Blocks that have not been returned.
  [[nodiscard]] std::size_t blocks() const { return blocks_.size(); }
  /// Bytes, over time.
  [[nodiscard]] std::size_t allocated() const { return allocated_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = prism::table_memory()->allocate(bytes, alignment);
    blocks_.emplace(static_cast<std::byte*>(block), bytes);
    allocated_ += bytes;
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    REQUIRE(blocks_.erase(static_cast<std::byte*>(block)) == 1);
    prism::table_memory()->deallocate(block, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::map<const std::byte*, std::size_t> blocks_;
  std::size_t allocated_ = 0;
};

}  // namespace test
