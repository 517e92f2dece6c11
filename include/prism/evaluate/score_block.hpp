// SPDX-License-Identifier: BSD-3-Clause
// The scores of some users with all items, on a device.
#pragma once

#include <cstddef>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Items of a tile of scores, one for each lane, and users, one for each of a lane's sums.
inline constexpr std::size_t tile_items = 32, tile_users = 16;

/// The scores of `Users` users with the items of a tile; each sum is in the order of columns.
template <class Isa, std::size_t Users, class T>
PRISM_HOST_DEVICE inline void score_tile(Rows<const T> users, Rows<const T> items, Rows<T> scores,
                                         std::size_t first_user, std::size_t first_item) noexcept {
  const T* const of_users = users[first_user];
  const std::size_t dim = users.dim(), left = items.size() - first_item;
  const std::size_t count = left < tile_items ? left : tile_items;
  for (std::size_t j = Lanes<Isa>::first(); j < count; j += Lanes<Isa>::step()) {
    const T* const of_item = items[first_item + j];
    T sums[Users] = {};
    for (std::size_t l = 0; l < dim; ++l) {
      const T number = of_item[l];
      for (std::size_t m = 0; m < Users; ++m) sums[m] += of_users[m * dim + l] * number;
    }
    for (std::size_t m = 0; m < Users; ++m) scores[first_user + m][first_item + j] = sums[m];
  }
}

/// scores[u][i] = the dot product of users[u] and items[i]. Returns before the device has done so.
/// @param users, items  of one dimension; in memory that the device reads, as `scores` is
/// @param scores        users x items, overwritten
template <DeviceExecution X, class T>
void score_block(const X& exec, Rows<const T> users, Rows<const T> items, Rows<T> scores) {
  const std::size_t user_tiles = (users.size() + tile_users - 1) / tile_users;
  const std::size_t item_tiles = (items.size() + tile_items - 1) / tile_items;
  for_each_row(exec, user_tiles * item_tiles, 1, [=] PRISM_HOST_DEVICE(std::size_t tile) {
    using Isa = typename X::isa;
    // Neighbouring warps read the same items.
    const std::size_t first_user = tile % user_tiles * tile_users;
    const std::size_t first_item = tile / user_tiles * tile_items;
    const std::size_t left = users.size() - first_user;
    if (left >= tile_users) {
      score_tile<Isa, tile_users>(users, items, scores, first_user, first_item);
    } else {
      for (std::size_t m = 0; m < left; ++m) {
        score_tile<Isa, 1>(users, items, scores, first_user + m, first_item);
      }
    }
  });
}

}  // namespace prism::inline PRISM_ISA::detail
