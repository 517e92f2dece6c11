// SPDX-License-Identifier: BSD-3-Clause
// The map between the external ids of users and items and their rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
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
  [[nodiscard]] std::vector<Index> intern(std::span<const std::string_view> ids) {
    constexpr std::size_t ahead = 8;  // ids between the prefetches of slot, end and characters
    std::array<std::uint64_t, 4 * ahead> hashes{};
    std::vector<Index> rows;
    rows.reserve(ids.size());
    if (slots_.empty()) grow();
    for (std::size_t k = 0; k < ids.size() + 3 * ahead; ++k) {
      const auto likely_slot = [&](std::size_t at) -> const Slot& {
        return slots_[(hashes[at % hashes.size()] >> 32) & (slots_.size() - 1)];
      };
      if (k < ids.size()) {
        hashes[k % hashes.size()] = hash_of(ids[k]);
        fetch(&likely_slot(k));
      }
      if (k >= ahead && k - ahead < ids.size()) {
        const Index row = likely_slot(k - ahead).row;
        if (row != absent) fetch(&ends_[row]);
      }
      if (k >= 2 * ahead && k - 2 * ahead < ids.size()) {
        const Index row = likely_slot(k - 2 * ahead).row;
        if (row != absent) fetch((*this)[row].data());
      }
      if (k >= 3 * ahead) {
        rows.push_back(intern(ids[k - 3 * ahead], hashes[(k - 3 * ahead) % hashes.size()]));
      }
    }
    return rows;
  }

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

  Index intern(std::string_view id, std::uint64_t hash) {
    if (2 * (size() + 1) > slots_.size()) grow();
    Slot& slot = slots_[slot_of(id, hash)];
    if (slot.row != absent) return slot.row;
    if (size() >= max_size_) {
      throw ArgumentError("ids", "must not be more than " + std::to_string(max_size_));
    }
    const auto row = static_cast<Index>(size());
    ends_.push_back(characters_.size() + id.size());
    try {
      characters_ += id;
    } catch (...) {
      ends_.pop_back();
      throw;
    }
    slot = {tag_of(hash), row};
    return row;
  }

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
  std::size_t slot_of(std::string_view id, std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash >> 32) & mask;
    while (slots_[slot].row != absent &&
           (slots_[slot].tag != tag_of(hash) || (*this)[slots_[slot].row] != id)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot{});
    for (std::size_t row = 0; row < size(); ++row) {
      const Index index = static_cast<Index>(row);
      const std::uint64_t hash = hash_of((*this)[index]);
      slots_[slot_of((*this)[index], hash)] = {tag_of(hash), index};
    }
  }

  std::size_t max_size_;
  std::string characters_;         // all ids, concatenated
  std::vector<std::size_t> ends_;  // where each ends
  std::vector<Slot> slots_;        // open addressing; the size is a power of two, at most half are
                                   // occupied
};

}  // namespace prism::inline PRISM_ISA
