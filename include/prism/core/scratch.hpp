// SPDX-License-Identifier: BSD-3-Clause
// Working memory of a training step: handed out in order, taken back all at once, kept between
// steps so that a step allocates nothing once the first has run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"

namespace prism::inline PRISM_ISA {

/// Memory for intermediate results. Used by one thread; what it hands out may be shared.
class Scratch {
 public:
  /// `size` rows of `dim` uninitialised elements, 64-byte aligned, valid until reset().
  template <class T>
  [[nodiscard]] Rows<T> take(std::size_t size, std::size_t dim) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(bytes(size * dim * sizeof(T))), size, dim};
  }

  /// The same, filled with zeros.
  template <class T>
  [[nodiscard]] Rows<T> take_zeros(std::size_t size, std::size_t dim) {
    Rows<T> taken = take<T>(size, dim);
    std::fill_n(taken.data(), taken.elements(), T{0});
    return taken;
  }

  /// Takes everything back; the memory is kept.
  void reset() noexcept {
    block_ = 0;
    used_ = 0;
  }

 private:
  using Block = std::vector<std::byte, CacheAlignedAllocator<std::byte>>;
  static constexpr std::size_t line = 64;
  static constexpr std::size_t smallest_block = std::size_t{1} << 20;

  void* bytes(std::size_t count) {
    count = (count + line - 1) / line * line;
    for (; block_ < blocks_.size(); ++block_, used_ = 0) {
      if (blocks_[block_].size() - used_ >= count) {
        void* const place = blocks_[block_].data() + used_;
        used_ += count;
        return place;
      }
    }
    blocks_.emplace_back(std::max(count, smallest_block));
    used_ = count;
    return blocks_.back().data();
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
};

}  // namespace prism::inline PRISM_ISA
