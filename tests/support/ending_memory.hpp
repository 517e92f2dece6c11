// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out.
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

namespace test {

/// Throws std::bad_alloc after `left` allocations.
class EndingMemory final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  std::size_t left = never;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (left == 0) throw std::bad_alloc();
    if (left != never) --left;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace test
