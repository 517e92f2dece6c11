// SPDX-License-Identifier: BSD-3-Clause
// Implicit feedback: which user interacted with which item, indexed by user and by item. Avoids
// std::ranges, because all programs include this header, and it would take a tenth longer to
// compile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/data/ids.hpp"

namespace prism::inline PRISM_ISA {

struct ReadSummary;  // read_summary.hpp

/// An observed pair.
struct Interaction {
  Index user;
  Index item;

  friend bool operator==(const Interaction&, const Interaction&) = default;
};

/// The neighbours of every user, or of every item: a non-owning view, also usable on a device.
class Adjacency {
 public:
  constexpr Adjacency(std::span<const std::size_t> begin,
                      std::span<const Index> neighbours) noexcept
      : begin_(begin.data()), neighbours_(neighbours.data()), size_(begin.size() - 1) {}

  /// A row's neighbours, ascending.
  [[nodiscard]] constexpr std::span<const Index> operator[](std::size_t row) const noexcept {
    return {neighbours_ + begin_[row], begin_[row + 1] - begin_[row]};
  }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

 private:
  const std::size_t* begin_;
  const Index* neighbours_;
  std::size_t size_;
};

/// A set of interactions between users() users and items() items, ordered by (user, item).
/// Immutable; copies share the lists. Takes 12 bytes per interaction, and 8 more with times.
/// Constructors and subset() check their arguments; other members do not: a user must be below
/// users(), an item below items().
class Interactions {
 public:
  /// No users, no items.
  Interactions() : Interactions(0, 0, {}) {}

  // No move operations, because a moved-from object would have no lists. Copies share them.
  Interactions(const Interactions&) = default;
  Interactions& operator=(const Interactions&) = default;
  ~Interactions() = default;

  /// Users and items have the ids "0", "1", ...
  /// @param pairs  in any order; a repeated pair counts once, at its earliest time
  /// @param times  one for each pair, in any unit; or empty
  /// @throws ArgumentError  for a row out of range, if times and pairs differ in length, or for a
  ///                        time that is not finite
  Interactions(Index users, Index items, std::span<const Interaction> pairs,
               std::span<const double> times = {})
      : Interactions(std::make_shared<const Ids>(Ids::numbered(users)),
                     std::make_shared<const Ids>(Ids::numbered(items)), pairs, times) {}

  /// The same, with a user for each of `user_ids` and an item for each of `item_ids`; parts of one
  /// data set share these id maps.
  Interactions(std::shared_ptr<const Ids> user_ids, std::shared_ptr<const Ids> item_ids,
               std::span<const Interaction> pairs, std::span<const double> times = {});

  /// Copies the lists into `memory`. A copy in device memory keeps the host's lists: see on_host().
  Interactions(const Interactions& other, std::pmr::memory_resource* memory)
      : user_ids_(other.user_ids_),
        item_ids_(other.item_ids_),
        read_summary_(other.read_summary_),
        lists_(std::make_shared<const Lists>(*other.lists_, memory)),
        times_are_positions_(other.times_are_positions_) {
    if (device_memory(memory) != nullptr) {
      on_host_ =
          other.on_host_ != nullptr ? other.on_host_ : std::make_shared<const Interactions>(other);
    }
  }

  [[nodiscard]] Index users() const noexcept {
    return static_cast<Index>(lists_->user_degree.size());
  }
  [[nodiscard]] Index items() const noexcept {
    return static_cast<Index>(lists_->item_degree.size());
  }

  /// The number of interactions.
  [[nodiscard]] std::size_t size() const noexcept { return lists_->item_of.size(); }
  [[nodiscard]] bool empty() const noexcept { return lists_->item_of.empty(); }

  /// The k-th interaction, ordered by (user, item); k < size().
  [[nodiscard]] Interaction operator[](std::size_t k) const noexcept {
    return {lists_->user_of[k], lists_->item_of[k]};
  }

  /// A user's items, ascending.
  [[nodiscard]] std::span<const Index> items_of(Index user) const noexcept {
    return {lists_->item_of.data() + lists_->user_begin[user], lists_->user_degree[user]};
  }

  /// An item's users, ascending.
  [[nodiscard]] std::span<const Index> users_of(Index item) const noexcept {
    return {lists_->users_by_item.data() + lists_->item_begin[item], lists_->item_degree[item]};
  }

  /// Where the lists are; never null.
  [[nodiscard]] std::pmr::memory_resource* memory() const noexcept {
    return lists_->item_of.get_allocator().resource();
  }

  /// The same interactions in host memory: for a device copy, its original. On a device copy, the
  /// host may call only size(), users(), items(), times() and the functions for ids; the lists, the
  /// degrees and views of them are for the device's loops.
  [[nodiscard]] const Interactions& on_host() const noexcept {
    return on_host_ != nullptr ? *on_host_ : *this;
  }

  /// items_of() for all users, and users_of() for all items.
  [[nodiscard]] Adjacency items_by_user() const noexcept {
    return {lists_->user_begin, lists_->item_of};
  }
  [[nodiscard]] Adjacency users_by_item() const noexcept {
    return {lists_->item_begin, lists_->users_by_item};
  }

  /// The number of items of each user: users() counts.
  [[nodiscard]] std::span<const Index> user_degree() const noexcept { return lists_->user_degree; }

  /// The number of users of each item, its popularity: items() counts.
  [[nodiscard]] std::span<const Index> item_degree() const noexcept { return lists_->item_degree; }

  [[nodiscard]] bool contains(Index user, Index item) const noexcept {
    const std::span<const Index> row = items_of(user);
    return std::binary_search(row.begin(), row.end(), item);
  }

  /// The time of each interaction, parallel to operator[]; empty if the data has no times.
  [[nodiscard]] std::span<const double> times() const noexcept { return lists_->times; }

  /// Whether times() are not measured, but positions in a file that was taken to be in
  /// chronological order.
  [[nodiscard]] bool times_are_positions() const noexcept { return times_are_positions_; }

  /// The external id of a row; valid as long as the id map.
  [[nodiscard]] std::string_view user_id(Index user) const noexcept { return (*user_ids_)[user]; }
  [[nodiscard]] std::string_view item_id(Index item) const noexcept { return (*item_ids_)[item]; }

  /// The row of an id; `absent` if there is none.
  [[nodiscard]] Index find_user(std::string_view id) const { return user_ids_->find(id); }
  [[nodiscard]] Index find_item(std::string_view id) const { return item_ids_->find(id); }

  /// The id maps, never null.
  [[nodiscard]] const std::shared_ptr<const Ids>& user_ids() const noexcept { return user_ids_; }
  [[nodiscard]] const std::shared_ptr<const Ids>& item_ids() const noexcept { return item_ids_; }

  /// Returns the interactions at these positions, given in any order; users, items and ids are
  /// kept.
  /// @throws ArgumentError  for a position that is not below size()
  [[nodiscard]] Interactions subset(std::span<const std::size_t> positions) const;

  /// What the reader found in the file or Arrow table; null for a subset() of what was read, and
  /// for other data. Needs prism/data/read_summary.hpp.
  [[nodiscard]] const std::shared_ptr<const ReadSummary>& read_summary() const noexcept {
    return read_summary_;
  }

  /// The same interactions with this summary.
  [[nodiscard]] Interactions with_summary(std::shared_ptr<const ReadSummary> summary) && {
    read_summary_ = std::move(summary);
    return std::move(*this);
  }
  /// The same interactions, with this answer of times_are_positions().
  [[nodiscard]] Interactions with_positions_as_times(bool positions) && {
    times_are_positions_ = positions;
    return std::move(*this);
  }

 private:
  struct Lists {
    TableVector<Index> user_of;  // with item_of: the k-th interaction
    TableVector<Index> item_of;
    std::vector<double> times;
    TableVector<Index> users_by_item;
    TableVector<std::size_t> user_begin;  // offsets of users in item_of
    TableVector<std::size_t> item_begin;  // offsets of items in users_by_item
    TableVector<Index> user_degree;
    TableVector<Index> item_degree;

    Lists() = default;
    Lists(const Lists& other, std::pmr::memory_resource* memory)
        : user_of(other.user_of, memory),
          item_of(other.item_of, memory),
          times(other.times),
          users_by_item(other.users_by_item, memory),
          user_begin(other.user_begin, memory),
          item_begin(other.item_begin, memory),
          user_degree(other.user_degree, memory),
          item_degree(other.item_degree, memory) {}
  };

  void check(std::span<const Interaction> pairs, std::span<const double> times) const;

  /// The offsets of rows with these counts, and the end of the last row.
  static TableVector<std::size_t> prefix_sums(std::span<const Index> counts) {
    TableVector<std::size_t> begin(counts.size() + 1, std::size_t{0});
    for (std::size_t row = 0; row < counts.size(); ++row) begin[row + 1] = begin[row] + counts[row];
    return begin;
  }

  /// Fills the arrays in the order of (user, item), each distinct pair once.
  void sort_and_merge(std::span<const Interaction> pairs, std::span<const double> times,
                      Lists& lists) const;

  static void transpose(Lists& lists);

  std::shared_ptr<const Ids> user_ids_;
  std::shared_ptr<const Ids> item_ids_;
  std::shared_ptr<const ReadSummary> read_summary_;
  std::shared_ptr<const Lists> lists_;
  bool times_are_positions_ = false;
  std::shared_ptr<const Interactions> on_host_;  // of a device copy: its original on the host
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/interactions.inl.hpp"
#endif
