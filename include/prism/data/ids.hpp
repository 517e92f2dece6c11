// SPDX-License-Identifier: BSD-3-Clause
// The map between the external ids of users and items and their rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

/// A set of distinct strings, numbered 0, 1, ... in order of first appearance. Ids are compared
/// byte by byte: "01" and "1" differ.
class Ids {
 public:
  /// @param max_size  the maximum number of ids
  explicit Ids(std::size_t max_size = max_rows) noexcept : max_size_(max_size) {}

  /// The ids "0", "1", ..., for data constructed from numbers.
  [[nodiscard]] static Ids numbered(Index size) {
    Ids ids;
    for (Index row = 0; row < size; ++row) ids.intern(std::to_string(row));
    return ids;
  }

  /// Returns the id's row; adds the id if it is new.
  /// @throws ArgumentError  if the id is new and there are max_size ids already
  Index intern(std::string_view id) { return intern(id, hash_of(id)); }

  /// Returns the rows of many ids, in order. Much faster than single calls if the ids do not fit
  /// into the processor's cache, because the memory of later ids is prefetched.
  /// @throws ArgumentError  as intern
  [[nodiscard]] std::vector<Index> intern(std::span<const std::string_view> ids);

  /// The id's row; `absent` if it is unknown.
  [[nodiscard]] Index find(std::string_view id) const {
    return slots_.empty() ? absent : slots_[slot_of(id, hash_of(id))].row;
  }

  /// The id of a row below size(); valid until the next intern().
  [[nodiscard]] std::string_view operator[](Index row) const noexcept {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return {characters_.data() + begin, ends_[row] - begin};
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// Equal ids in equal rows.
  friend bool operator==(const Ids& a, const Ids& b) noexcept {
    return a.ends_ == b.ends_ && a.characters_ == b.characters_;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // of the id's hash: saves comparing the characters of most other ids
    Index row = absent;     // absent: empty
  };

  static void fetch([[maybe_unused]] const void* address) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#endif
  }

  Index intern(std::string_view id, std::uint64_t hash);

  /// Mixes 8 bytes at a time into 64 bits; each step is one-to-one.
  static std::uint64_t hash_of(std::string_view id) noexcept {
    std::uint64_t hash = id.size() * 0x9E3779B97F4A7C15;
    for (std::size_t at = 0; at < id.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, id.data() + at, std::min<std::size_t>(id.size() - at, 8));
      hash = (hash ^ word) * 0x9FB21C651E98DF25;
      hash ^= hash >> 32;
    }
    return hash * 0x9E3779B97F4A7C15;
  }
  static std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash);
  }

  /// The slot that holds the id, or the empty one where it would be inserted.
  std::size_t slot_of(std::string_view id, std::uint64_t hash) const noexcept;

  void grow();

  std::size_t max_size_;
  std::string characters_;         // all ids, concatenated
  std::vector<std::size_t> ends_;  // where each ends
  std::vector<Slot> slots_;        // open addressing; the size is a power of two, at most half are
                                   // occupied
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/ids.inl.hpp"
#endif
