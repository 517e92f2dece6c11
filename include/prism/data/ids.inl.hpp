// SPDX-License-Identifier: BSD-3-Clause
// Functions that ids.hpp declares; it includes them unless PRISM_COMPILED is defined.
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
#include "prism/data/ids.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE std::vector<Index> Ids::intern(std::span<const std::string_view> ids) {
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

PRISM_INLINE Index Ids::intern(std::string_view id, std::uint64_t hash) {
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

PRISM_INLINE std::size_t Ids::slot_of(std::string_view id, std::uint64_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (hash >> 32) & mask;
  while (slots_[slot].row != absent &&
         (slots_[slot].tag != tag_of(hash) || (*this)[slots_[slot].row] != id)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

PRISM_INLINE void Ids::grow() {
  slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), Slot{});
  for (std::size_t row = 0; row < size(); ++row) {
    const Index index = static_cast<Index>(row);
    const std::uint64_t hash = hash_of((*this)[index]);
    slots_[slot_of((*this)[index], hash)] = {tag_of(hash), index};
  }
}

}  // namespace prism::inline PRISM_ISA
