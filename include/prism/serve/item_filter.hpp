// SPDX-License-Identifier: BSD-3-Clause
// Filters for ItemIndex: which items a result may contain. A filter is called only for items that
// would otherwise enter the list, some hundreds per query.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/ascending_rows.hpp"

namespace prism::inline PRISM_ISA {

/// A filter tells whether an item is allowed. It may be a lambda
///   [&](Index item) { return in_stock[item]; }
/// or an object with
///   bool operator()(Index item) const;  // from any thread
/// A filter that allows only few items may also have this function, so that only they are scored:
///   std::optional<std::span<const Index>> listed() const;  // ascending; no others
/// A function that returns a filter is not itself a filter, even where that filter converts to
/// bool, as captureless lambdas and function pointers do.
template <class F>
concept ItemFilter = std::is_invocable_r_v<bool, const F&, Index> &&
                     !std::invocable<std::invoke_result_t<const F&, Index>, Index>;

/// Returns a filter for each query of a batch, by the query's position; called from any thread.
///   [&](std::size_t position) { return Unseen(train, users[position]); }
template <class F>
concept FilterOfQuery = std::invocable<const F&, std::size_t> && !ItemFilter<F> &&
                        ItemFilter<std::invoke_result_t<const F&, std::size_t>>;

/// Allows every item.
struct AllItems {
  constexpr bool operator()(Index) const noexcept { return true; }
};

/// Allows the items that a user has not interacted with. Refers to `seen`, which must outlive it.
class Unseen {
 public:
  /// @throws ArgumentError  if `seen` does not have the user
  Unseen(const Interactions& seen, Index user) {
    require(user < seen.users(), "user",
            "must be below " + std::to_string(seen.users()) +
                ", the number of users in `seen`, not " + std::to_string(user));
    items_ = detail::AscendingRows(seen.items_of(user));
  }
  Unseen(const Interactions&& seen, Index user) = delete;

  bool operator()(Index item) const noexcept { return !items_.contains(item); }

 private:
  detail::AscendingRows items_;
};

/// A set of items, with a bit for each item of a catalogue.
class ItemBitmap {
 public:
  /// @param items    the number of items of the catalogue
  /// @param members  in any order
  /// @throws ArgumentError  for a member that is not below `items`
  explicit ItemBitmap(std::size_t items, std::span<const Index> members = {})
      : items_(items), words_((items + 63) / 64) {
    for (const Index item : members) insert(item);
  }

  /// @throws ArgumentError  for an item that the catalogue does not have
  void insert(Index item) {
    require(item < items_, "item",
            "must be below " + std::to_string(items_) + ", not " + std::to_string(item));
    words_[item / 64] |= std::uint64_t{1} << item % 64;
  }
  /// False for items that the catalogue does not have.
  [[nodiscard]] bool contains(Index item) const noexcept {
    return item < items_ && (words_[item / 64] >> item % 64 & 1) != 0;
  }

 private:
  std::size_t items_;
  std::vector<std::uint64_t> words_;
};

namespace detail {

/// Ascending items, or a bitmap. Copies share them.
class ItemSet {
 public:
  ItemSet(const char* argument, std::vector<Index> items);
  explicit ItemSet(ItemBitmap bitmap)
      : bitmap_(std::make_shared<const ItemBitmap>(std::move(bitmap))) {}

  [[nodiscard]] bool contains(Index item) const noexcept {
    return bitmap_ != nullptr ? bitmap_->contains(item) : rows_.contains(item);
  }
  [[nodiscard]] std::optional<std::span<const Index>> listed() const noexcept {
    if (bitmap_ != nullptr) return std::nullopt;
    return rows_.rows();
  }

 private:
  std::shared_ptr<const std::vector<Index>> items_;
  AscendingRows rows_;
  std::shared_ptr<const ItemBitmap> bitmap_;
};

template <class Filter>
[[nodiscard]] std::optional<std::span<const Index>> listed_items(const Filter& filter) {
  if constexpr (requires { filter.listed(); }) return filter.listed();
  return std::nullopt;
}

}  // namespace detail

/// Allows only these items. Those that the index does not have are left out.
class AllowList {
 public:
  /// @param items  ascending; if they are few, only they are scored
  /// @throws ArgumentError  if they are not ascending, or one is repeated
  explicit AllowList(std::vector<Index> items) : set_("items", std::move(items)) {}
  explicit AllowList(ItemBitmap items) : set_(std::move(items)) {}

  bool operator()(Index item) const noexcept { return set_.contains(item); }
  [[nodiscard]] std::optional<std::span<const Index>> listed() const noexcept {
    return set_.listed();
  }

 private:
  detail::ItemSet set_;
};

/// Allows all but these items.
class DenyList {
 public:
  /// @param items  ascending
  /// @throws ArgumentError  if they are not ascending, or one is repeated
  explicit DenyList(std::vector<Index> items) : set_("items", std::move(items)) {}
  explicit DenyList(ItemBitmap items) : set_(std::move(items)) {}

  bool operator()(Index item) const noexcept { return !set_.contains(item); }

 private:
  detail::ItemSet set_;
};

/// Allows the items that all of its filters allow: AllOf(Unseen(train, user), in_stock).
template <ItemFilter... Filters>
class AllOf {
 public:
  explicit AllOf(Filters... filters) : filters_(std::move(filters)...) {}

  bool operator()(Index item) const {
    return std::apply([item](const auto&... filter) { return (filter(item) && ...); }, filters_);
  }
  /// The shortest of the filters' lists.
  [[nodiscard]] std::optional<std::span<const Index>> listed() const {
    std::optional<std::span<const Index>> shortest;
    const auto consider = [&](const std::optional<std::span<const Index>>& list) {
      if (list && (!shortest || list->size() < shortest->size())) shortest = list;
    };
    std::apply([&](const auto&... filter) { (consider(detail::listed_items(filter)), ...); },
               filters_);
    return shortest;
  }

 private:
  std::tuple<Filters...> filters_;
};

/// Allows the items that all of these allow, of which each may be left out. Refers to the lists and
/// numbers, which must outlive it.
struct Recommendable {
  const AllowList* among = nullptr;
  const DenyList* without = nullptr;
  std::optional<Unseen> unseen{};
  std::span<const Index> popularity{};  ///< of all items, to leave out those of 0

  bool operator()(Index item) const {
    return (among == nullptr || (*among)(item)) && (without == nullptr || (*without)(item)) &&
           (!unseen || (*unseen)(item)) && (popularity.empty() || popularity[item] > 0);
  }
  [[nodiscard]] std::optional<std::span<const Index>> listed() const {
    return among == nullptr ? std::nullopt : among->listed();
  }
};

static_assert(ItemFilter<AllItems> && ItemFilter<Unseen> && ItemFilter<AllowList> &&
              ItemFilter<DenyList> && ItemFilter<AllOf<Unseen, DenyList>> &&
              ItemFilter<Recommendable>);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/serve/item_filter.inl.hpp"
#endif
