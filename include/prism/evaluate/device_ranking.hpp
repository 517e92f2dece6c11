// SPDX-License-Identifier: BSD-3-Clause
// Full ranking on a device, some users at a time: all their scores, then the best items of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/core/similarity.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/kernel/best_of_row.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/ops/device/matrix_product.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA::detail {

/// One side of a scorer, users or items: their output rows, factors and extra column.
template <class T>
struct ScoringSide {
  Rows<const T> rows;
  const T* factor;  ///< of each row, or null: factors of 1
  T extra;          ///< the additional column without its factor
  bool has_extra;
  Similarity similarity;

  /// @param row  index of the row; to: rows.dim() elements, and 1 more with has_extra
  template <class Isa>
  PRISM_HOST_DEVICE void write(T* to, std::size_t row) const noexcept {
    write_scoring_row<Isa>(to, rows[row], rows.dim(), factor == nullptr ? T{1} : factor[row], extra,
                           has_extra, similarity);
  }
};

/// to[r] = the scoring row of row selected[r], or of row r if `selected` is empty. The host
/// computes them if the device cannot read the rows.
template <DeviceExecution X, class T>
void write_scoring_rows(const X& exec, ScoringSide<T> side, std::span<const Index> selected,
                        Rows<T> to) {
  constexpr std::size_t grain = 256;
  if (can_read(exec, side.rows.data())) {
    for_each_row(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
      side.template write<typename X::isa>(to[r], selected.empty() ? r : selected[r]);
    });
    return;
  }
  const auto host = host_of(exec);
  std::vector<T> made(to.num_elements());
  parallel_chunks(host, to.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      side.template write<typename decltype(host)::isa>(made.data() + r * to.dim(),
                                                        selected.empty() ? r : selected[r]);
    }
  });
  copy_across(device_memory(memory_of(exec)), std::span<const T>(made),
              std::span<T>(to.data(), made.size()));
}

/// Gives items a score that enters no list.
/// @param lists     the items of each row of scores; with `selected`, row r has list selected[r]
template <DeviceExecution X, class T>
void mask_items(const X& exec, Adjacency lists, std::span<const Index> selected, Rows<T> scores) {
  for_each_row(exec, scores.size(), 1, [=] PRISM_HOST_DEVICE(std::size_t r) {
    using L = Lanes<typename X::isa>;
    const std::span<const Index> masked = lists[selected.empty() ? r : selected[r]];
    T* const row = scores[r];
    for (std::size_t j = L::first(); j < masked.size(); j += L::step()) {
      if (masked[j] < scores.dim()) row[masked[j]] = -unbounded<T>;
    }
  });
}

/// The lists of some users: row r of `lists` begins with size[r] entries, best first. `scores` and
/// `items` are working memory of the device.
template <class T>
struct BestLists {
  Rows<T> scores;
  Rows<Index> items;
  Rows<ScoredItem<T>> lists;
  std::size_t* size;
};

template <DeviceExecution X, class T>
void find_best(const X& exec, Rows<const T> scores, BestLists<T> best) {
  for_each_row(exec, scores.size(), 1, [=] PRISM_HOST_DEVICE(std::size_t r) {
    using Isa = typename X::isa;
    const std::size_t size =
        best_of_row<Isa>(scores[r], scores.dim(), best.scores.dim(), best.scores[r], best.items[r]);
    for (std::size_t j = Lanes<Isa>::first(); j < size; j += Lanes<Isa>::step()) {
      best.lists[r][j] = {best.items[r][j], best.scores[r][j]};
    }
    Lanes<Isa>::once([&] { best.size[r] = size; });
  });
}

/// Ranks all items for some users at a time, in device memory.
template <class T, DeviceExecution X>
class DeviceRanking {
 public:
  /// @param scorer     must outlive the object, as must the parts of `exclude`
  /// @param k          at most the number of items
  /// @param max_users  the most users that rank() is called with
  DeviceRanking(const X& exec, const Scorer<T>& scorer, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                std::size_t max_users)
      : exec_(exec),
        memory_(memory_of(exec)),
        user_factor_(std::span<const T>(scorer.user_factor), memory_),
        item_factor_(std::span<const T>(scorer.item_factor), memory_),
        users_side_{scorer.output.users(),
                    factor_of(scorer.output.users(), scorer.user_factor, user_factor_), T{1},
                    scorer.offset != 0, similarity},
        dim_(scoring_dim(scorer)),
        k_(k),
        item_rows_(memory_),
        items_(scorer.output.items()),
        users_(max_users, pinned_beside(memory_)),
        user_rows_(max_users * dim_, memory_),
        scores_(max_users * items_.size(), memory_),
        best_scores_(max_users * k, memory_),
        best_items_(max_users * k, memory_),
        lists_(max_users * k, pinned_beside(memory_)),
        list_size_(max_users, pinned_beside(memory_)),
        masked_begin_(pinned_beside(memory_)),
        masked_(pinned_beside(memory_)) {
    for (const Interactions* part : exclude) {
      if (part->memory()->is_equal(*memory_)) {
        shared_parts_.push_back(part);
      } else {
        host_parts_.push_back(&part->on_host());
      }
    }
    if (scores_by_output_rows(scorer, similarity) && can_read(exec, items_.data())) return;
    item_rows_.resize(items_.size() * dim_);
    const Rows<T> rows(item_rows_.data(), items_.size(), dim_);
    const ScoringSide<T> side{items_, factor_of(items_, scorer.item_factor, item_factor_),
                              -scorer.offset, scorer.offset != 0, similarity};
    write_scoring_rows(exec, side, {}, rows);
    synchronise(exec);
    items_ = rows;
  }
  DeviceRanking(const DeviceRanking&) = delete;
  DeviceRanking& operator=(const DeviceRanking&) = delete;

  /// Ranks the items for these users, and waits for the device.
  void rank(std::span<const Index> users) {
    // The host writes nothing after the device has started.
    std::ranges::copy(users, users_.begin());
    copy_lists_of(users);
    const std::span<const Index> selected(users_.data(), users.size());
    const Rows<T> user_rows(user_rows_.data(), users.size(), dim_);
    const Rows<T> scores(scores_.data(), users.size(), items_.size());
    write_scoring_rows(exec_, users_side_, selected, user_rows);
    scratch_.reset();
    multiply<T>(exec_, {users.size(), items_.size(), dim_}, ByLine<Rows<const T>>{user_rows},
                ByLine<Rows<const T>>{items_}, OverwriteWith<T>{scores}, scratch_);
    for (const Interactions* part : shared_parts_) {
      mask_items(exec_, part->items_by_user(), selected, scores);
    }
    if (!host_parts_.empty()) mask_items(exec_, Adjacency(masked_begin_, masked_), {}, scores);
    const std::size_t n = list_size_.size();
    find_best<X, T>(exec_, scores,
                    {{best_scores_.data(), n, k_},
                     {best_items_.data(), n, k_},
                     {lists_.data(), n, k_},
                     list_size_.data()});
    synchronise(exec_);
  }

  /// The list of the r-th user of the last rank().
  [[nodiscard]] std::span<const ScoredItem<T>> best(std::size_t r) const noexcept {
    return {lists_.data() + r * k_, list_size_[r]};
  }

 private:
  /// The rows' factors, in the memory where the rows are read; null for factors of 1.
  [[nodiscard]] const T* factor_of(Rows<const T> rows, const std::vector<T>& on_host,
                                   const TableVector<T>& on_device) const {
    if (on_host.empty()) return nullptr;
    return can_read(exec_, rows.data()) ? on_device.data() : on_host.data();
  }

  /// Copies the users' items from the parts that the device cannot read.
  void copy_lists_of(std::span<const Index> users) {
    if (host_parts_.empty()) return;
    masked_begin_.assign(1, 0);
    masked_.clear();
    for (const Index user : users) {
      for (const Interactions* part : host_parts_) {
        const std::span<const Index> items = part->items_of(user);
        masked_.insert(masked_.end(), items.begin(), items.end());
      }
      masked_begin_.push_back(masked_.size());
    }
  }

  [[no_unique_address]] X exec_;
  std::pmr::memory_resource* memory_;
  Scratch scratch_{memory_};
  TableVector<T> user_factor_, item_factor_;
  ScoringSide<T> users_side_;
  std::size_t dim_;
  std::size_t k_;
  TableVector<T> item_rows_;  // empty if the output rows are the scoring rows
  Rows<const T> items_;
  TableVector<Index> users_;
  TableVector<T> user_rows_;
  TableVector<T> scores_;
  TableVector<T> best_scores_;
  TableVector<Index> best_items_;
  TableVector<ScoredItem<T>> lists_;
  TableVector<std::size_t> list_size_;
  std::vector<const Interactions*> shared_parts_, host_parts_;
  TableVector<std::size_t> masked_begin_;  // copied lists, one after the other
  TableVector<Index> masked_;
};

/// rank_items() on a device, for arguments that have been checked.
/// @param max_scores  the number of scores in memory at a time, or those of one user if these are
///     more; fewer where the device has less memory. A warp ranks a user's, so that a device needs
///     thousands of users at a time.
template <DeviceExecution X, class T, class Visit>
void rank_on_device(const X& exec, const Scorer<T>& scorer, std::span<const Index> users,
                    std::size_t k, std::span<const Interactions* const> exclude,
                    Similarity similarity, const Visit& visit,
                    std::size_t max_scores = (std::size_t{1} << 32) / sizeof(T)) {
  const std::size_t items = scorer.output.items().size();
  if (users.empty()) return;
  const std::size_t in_memory = items > 0 ? std::max<std::size_t>(max_scores / items, 1) : 1;
  std::size_t max_users = std::min(users.size(), in_memory);
  std::optional<DeviceRanking<T, X>> ranking;
  std::size_t count = 0;
  for (std::size_t first = 0; first < users.size(); first += count) {
    while (true) {
      count = std::min(max_users, users.size() - first);
      try {
        if (!ranking) {
          ranking.emplace(exec, scorer, std::min(k, items), exclude, similarity, max_users);
        }
        ranking->rank(users.subspan(first, count));
        break;
      } catch (const DeviceMemoryError&) {
        if (max_users == 1) throw;
        ranking.reset();
        max_users /= 2;  // the device has less memory left
      }
    }
    constexpr std::size_t grain = 64;
    parallel_chunks(host_of(exec), count, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) visit(first + r, ranking->best(r));
    });
  }
}

}  // namespace prism::inline PRISM_ISA::detail
