// SPDX-License-Identifier: BSD-3-Clause
// Appends new users or items to interactions; existing rows keep their numbers.
#pragma once

#include <memory>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Whether two data sets have the same rows: their ids are equal, or those of `other` are row
/// numbers, as in data constructed from numbers.
[[nodiscard]] PRISM_INLINE bool same_rows(const Ids& ids, const Ids& other);

/// @throws ArgumentError  unless the ids of `history`, `other`, stand for the same rows as `ids`
PRISM_INLINE void check_same_rows(const Ids& ids, const Ids& other, const char* kind);

/// The ids followed by the appended ones, which must be new.
[[nodiscard]] PRISM_INLINE std::shared_ptr<const Ids> append_ids(const Ids& ids,
                                                                 const Ids& appended,
                                                                 const char* kind);

/// The interactions of both, with the rows of `history` shifted by first_user and first_item. Times
/// are kept if both have them.
[[nodiscard]] PRISM_INLINE Interactions concatenate(std::shared_ptr<const Ids> user_ids,
                                                    std::shared_ptr<const Ids> item_ids,
                                                    const Interactions& data,
                                                    const Interactions& history, Index first_user,
                                                    Index first_item);

/// The same with row numbers as ids, whatever the ids of the data.
/// @param users  true: users are appended; false: items
[[nodiscard]] PRISM_INLINE Interactions append_rows(const Interactions& data,
                                                    const Interactions& history, bool users);

}  // namespace detail

/// The data with new users appended: user u of `history` becomes user data.users() + u. Times are
/// kept if both have them.
/// @param history  new users x the data's items, with the same item ids or with row numbers as ids
/// @throws ArgumentError  if the items differ, or a new user's id is one of the data's
[[nodiscard]] inline Interactions append_users(const Interactions& data,
                                               const Interactions& history) {
  detail::check_same_rows(*data.item_ids(), *history.item_ids(), "items");
  return detail::concatenate(detail::append_ids(*data.user_ids(), *history.user_ids(), "users"),
                             data.item_ids(), data, history, data.users(), 0);
}

/// The data with new items appended: item i of `history` becomes item data.items() + i.
/// @param history  the data's users x new items
/// @throws ArgumentError  if the users differ, or a new item's id is one of the data's
[[nodiscard]] inline Interactions append_items(const Interactions& data,
                                               const Interactions& history) {
  detail::check_same_rows(*data.user_ids(), *history.user_ids(), "users");
  return detail::concatenate(data.user_ids(),
                             detail::append_ids(*data.item_ids(), *history.item_ids(), "items"),
                             data, history, 0, data.items());
}

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/append.inl.hpp"
#endif
