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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
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
               std::span<const Interaction> pairs, std::span<const double> times = {})
      : user_ids_(std::move(user_ids)), item_ids_(std::move(item_ids)) {
    require(user_ids_ != nullptr, "user_ids", "must not be null");
    require(item_ids_ != nullptr, "item_ids", "must not be null");
    check(pairs, times);
    Lists lists;
    sort_and_merge(pairs, times, lists);
    transpose(lists);
    lists_ = std::make_shared<const Lists>(std::move(lists));
  }

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
  [[nodiscard]] Interactions subset(std::span<const std::size_t> positions) const {
    std::vector<Interaction> pairs;
    std::vector<double> times;
    pairs.reserve(positions.size());
    const bool timed = !lists_->times.empty();
    times.reserve(timed ? positions.size() : 0);
    for (const std::size_t k : positions) {
      if (k >= size()) {
        throw ArgumentError(
            "positions", "must be below " + std::to_string(size()) + ", not " + std::to_string(k));
      }
      pairs.push_back((*this)[k]);
      if (timed) times.push_back(lists_->times[k]);
    }
    return Interactions(user_ids_, item_ids_, pairs, times)
        .with_positions_as_times(times_are_positions_);
  }

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

  void check(std::span<const Interaction> pairs, std::span<const double> times) const {
    for (const Interaction& pair : pairs) {
      if (pair.user >= user_ids_->size() || pair.item >= item_ids_->size()) {
        throw ArgumentError(
            "pairs", "user " + std::to_string(pair.user) + ", item " + std::to_string(pair.item) +
                         " is out of range: there are " + std::to_string(user_ids_->size()) +
                         " users and " + std::to_string(item_ids_->size()) + " items");
      }
    }
    if (!times.empty() && times.size() != pairs.size()) {
      throw ArgumentError("times", "must have one time for each of the " +
                                       std::to_string(pairs.size()) + " pairs, not " +
                                       std::to_string(times.size()));
    }
    const bool finite =
        std::all_of(times.begin(), times.end(), [](double time) { return is_finite(time); });
    require(finite, "times", "must be finite numbers");
  }

  /// The offsets of rows with these counts, and the end of the last row.
  static TableVector<std::size_t> prefix_sums(std::span<const Index> counts) {
    TableVector<std::size_t> begin(counts.size() + 1, std::size_t{0});
    for (std::size_t row = 0; row < counts.size(); ++row) begin[row + 1] = begin[row] + counts[row];
    return begin;
  }

  /// Fills the arrays in the order of (user, item), each distinct pair once.
  void sort_and_merge(std::span<const Interaction> pairs, std::span<const double> times,
                      Lists& lists) const {
    struct Entry {
      Index item;
      std::size_t position;  // in pairs
    };
    std::vector<Index> count(user_ids_->size());
    for (const Interaction& pair : pairs) ++count[pair.user];
    const TableVector<std::size_t> begin = prefix_sums(count);
    TableVector<std::size_t> next(begin);
    std::vector<Entry> entries(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      entries[next[pairs[k].user]++] = {pairs[k].item, k};
    }

    lists.user_of.reserve(pairs.size());
    lists.item_of.reserve(pairs.size());
    lists.times.reserve(times.size());
    lists.user_degree.assign(count.size(), 0);
    lists.item_degree.assign(item_ids_->size(), 0);
    for (std::size_t user = 0; user < count.size(); ++user) {
      const std::span row = std::span(entries).subspan(begin[user], count[user]);
      std::sort(row.begin(), row.end(),
                [](const Entry& a, const Entry& b) { return a.item < b.item; });
      const std::size_t first = lists.item_of.size();
      for (const Entry& entry : row) {
        if (lists.item_of.size() > first && lists.item_of.back() == entry.item) {
          if (!times.empty()) {
            lists.times.back() = std::min(lists.times.back(), times[entry.position]);
          }
          continue;
        }
        lists.user_of.push_back(static_cast<Index>(user));
        lists.item_of.push_back(entry.item);
        if (!times.empty()) lists.times.push_back(times[entry.position]);
        ++lists.item_degree[entry.item];
      }
      lists.user_degree[user] = static_cast<Index>(lists.item_of.size() - first);
    }
    lists.user_begin = prefix_sums(lists.user_degree);
  }

  static void transpose(Lists& lists) {
    lists.item_begin = prefix_sums(lists.item_degree);
    lists.users_by_item.resize(lists.item_of.size());
    TableVector<std::size_t> next(lists.item_begin);
    for (std::size_t k = 0; k < lists.item_of.size(); ++k) {
      lists.users_by_item[next[lists.item_of[k]]++] = lists.user_of[k];
    }
  }

  std::shared_ptr<const Ids> user_ids_;
  std::shared_ptr<const Ids> item_ids_;
  std::shared_ptr<const ReadSummary> read_summary_;
  std::shared_ptr<const Lists> lists_;
  bool times_are_positions_ = false;
  std::shared_ptr<const Interactions> on_host_;  // of a device copy: its original on the host
};

}  // namespace prism::inline PRISM_ISA
