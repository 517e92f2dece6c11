// SPDX-License-Identifier: BSD-3-Clause
// The map between the external ids of users and items and their rows.
#pragma once

#include <cstddef>
#include <functional>
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
  /// @param max_size  the most ids it may have
  explicit Ids(std::size_t max_size = max_rows) noexcept : max_size_(max_size) {}

  /// The ids "0", "1", ..., for data constructed from numbers.
  [[nodiscard]] static Ids numbered(Index size) {
    Ids ids;
    for (Index row = 0; row < size; ++row) ids.intern(std::to_string(row));
    return ids;
  }

  /// The id's row; a new id is added.
  /// @throws ArgumentError  if the id is new and there are max_size ids
  Index intern(std::string_view id) {
    if (2 * (size() + 1) > slots_.size()) grow();
    Index& slot = slots_[slot_of(id)];
    if (slot != absent) return slot;
    if (size() >= max_size_) {
      throw ArgumentError("ids", "there are more than " + std::to_string(max_size_) + " of them");
    }
    slot = static_cast<Index>(size());
    characters_ += id;
    ends_.push_back(characters_.size());
    return slot;
  }

  /// The id's row; `absent` if it is unknown.
  [[nodiscard]] Index find(std::string_view id) const {
    return slots_.empty() ? absent : slots_[slot_of(id)];
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
  /// The hash slot that has the id, or the empty one where it would be inserted.
  std::size_t slot_of(std::string_view id) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t hash = std::hash<std::string_view>{}(id);
    std::size_t slot = hash & mask;
    while (slots_[slot] != absent && (*this)[slots_[slot]] != id) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), absent);
    for (std::size_t row = 0; row < size(); ++row) {
      const Index index = static_cast<Index>(row);
      slots_[slot_of((*this)[index])] = index;
    }
  }

  std::size_t max_size_;
  std::string characters_;         // all ids, concatenated
  std::vector<std::size_t> ends_;  // where each ends
  std::vector<Index> slots_;       // open addressing; the size is a power of two, at most half are
                                   // occupied
};

}  // namespace prism::inline PRISM_ISA
