// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers: a draw is a pure function of (seed, stream, epoch, position), and
// so independent of the thread that draws and of the order of draws.
#pragma once

#include <array>
#include <cstdint>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Philox 4x32-10. Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
/// SC 2011.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(
    std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The purpose of a sequence of draws; the sequences of different streams are independent.
enum class Stream : std::uint32_t {
  users,
  items,
  backbone,
  loss,
  shuffle,
  negatives,
  split,
  synthetic,
  simulation,
  penalty,
  search,
  dropout,
  fold_in,
  epoch_start,
  user_sample,
  candidates,
  bootstrap,
};

/// An independent sequence of draws, addressed by position.
class Random {
 public:
  constexpr Random(std::uint64_t seed, Stream stream, std::uint32_t epoch = 0) noexcept
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        stream_(static_cast<std::uint32_t>(stream)),
        epoch_(epoch) {}

  /// The sequence that begins at draw `first` of this one.
  [[nodiscard]] constexpr Random from(std::uint64_t first) const noexcept {
    Random later = *this;
    later.first_ += first;
    return later;
  }

  /// 64 random bits.
  [[nodiscard]] constexpr std::uint64_t bits(std::uint64_t position) const noexcept {
    const std::uint64_t at = first_ + position;
    const auto word = philox(
        {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32), stream_, epoch_},
        key_);
    return (std::uint64_t{word[1]} << 32) | word[0];
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] constexpr double uniform(std::uint64_t position) const noexcept {
    return static_cast<double>(bits(position) >> 11) * 0x1p-53;
  }

  /// Uniform in {0, ..., n-1}, n >= 1; each probability is within n * 2^-64 of 1/n.
  [[nodiscard]] constexpr std::uint32_t uniform_int(std::uint64_t position,
                                                    std::uint32_t n) const noexcept {
    // The high word of the 96-bit product bits * n.
    const std::uint64_t b = bits(position);
    const std::uint64_t low = (b & 0xFFFFFFFF) * n;
    return static_cast<std::uint32_t>(((b >> 32) * n + (low >> 32)) >> 32);
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
  std::uint32_t epoch_;
  std::uint64_t first_ = 0;
};

}  // namespace prism::inline PRISM_ISA
