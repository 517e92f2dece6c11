// SPDX-License-Identifier: BSD-3-Clause
// Full ranking: every item is scored for every user, and the k best are kept. At any time only
// scores of some users with some items exist, never a users x items matrix.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/quantised_pruning.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/evaluate/similarity.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/output.hpp"

namespace prism {

/// Whether items whose upper bound from products of bytes shows that they cannot be among a user's
/// best are left unscored. The ranking is equal bit for bit.
enum class Pruning {
  automatic,  ///< on processors that multiply bytes, for many users and long rows
  never,
  always,  ///< for float numbers and rows of at most 2^15 columns
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

namespace detail {

inline void check_row(const char* argument, Index row, std::size_t size) {
  require(row < size, argument,
          "must be below " + std::to_string(size) + ", not " + std::to_string(row));
}

/// Users ranked together, so that a panel of items serves all of them while it is in cache: their
/// rows, seen items, and best items so far.
template <class T, class Isa>
class UserBlock {
 public:
  static constexpr std::size_t max_users = 96;

  UserBlock(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
            std::span<const Interactions* const> exclude, Similarity similarity)
      : dim_(scoring_dim(scorer)), parts_(exclude.size()), rows_(users.size() * dim_) {
    for (std::size_t r = 0; r < users.size(); ++r) {
      write_user<Isa>(rows_.data() + r * dim_, scorer, users[r], similarity);
      for (const Interactions* part : exclude) seen_.push_back(part->items_of(users[r]));
      best_.emplace_back(k);
    }
  }

  void rank(const ItemPanels<T>& items) {
    for (std::size_t s = 0; s < items.panels(); ++s) rank(items, s);
  }

  /// The same, with quantised pruning.
  void rank(const ItemPanels<T>& items, const QuantisedItems& quantised_items) {
    QuantisedUsers<Isa> users(quantised_items, rows_.data(), best_.size(), dim_);
    for (std::size_t s = 0; s < items.panels(); ++s) {
      if (users.prune_panel(s)) {
        enqueue(users, s * ItemPanels<T>::panel_width, items.size());
        continue;
      }
      flush(users);  // items must be pushed in ascending order
      rank(items, s);
      for (std::size_t r = 0; r < best_.size(); ++r) users.raise_threshold(r, best_[r].threshold());
    }
    flush(users);
  }

  [[nodiscard]] std::span<const ScoredItem<T>> best(std::size_t r) const { return best_[r].best(); }

 private:
  /// Scores panel s; panels are visited in ascending order.
  void rank(const ItemPanels<T>& items, std::size_t s) {
    constexpr std::size_t panel_width = ItemPanels<T>::panel_width;
    alignas(64) T scores[max_users * panel_width];
    matrix_product<Store::overwrite, Isa>(best_.size(), panel_width, dim_, {rows_.data(), dim_, 1},
                                          items[s], panel_width, scores, panel_width);
    const std::size_t first = s * panel_width;
    const std::size_t width = std::min(panel_width, items.size() - first);
    for (std::size_t r = 0; r < best_.size(); ++r) {
      T* const score_row = scores + r * panel_width;
      for (std::size_t part = 0; part < parts_; ++part) {
        mask(seen_[r * parts_ + part], score_row, first, first + width);
      }
      best_[r].template push_all<Isa>(static_cast<Index>(first), score_row, width);
    }
  }

  /// Sets the scores of the seen items in [first, end) to -infinity, and drops the items below
  /// `end` from the front of `seen`.
  static void mask(std::span<const Index>& seen, T* score_row, std::size_t first, std::size_t end) {
    std::size_t skipped = 0;
    for (; skipped < seen.size() && seen[skipped] < end; ++skipped) {
      if (seen[skipped] >= first) {
        score_row[seen[skipped] - first] = -unbounded<T>;
      }
    }
    seen = seen.subspan(skipped);
  }

  /// Queues the unseen candidates of the panel at `first` for scoring.
  void enqueue(QuantisedUsers<Isa>& users, std::size_t first, std::size_t end) {
    for (const std::size_t r : users.with_candidates()) {
      for (std::uint64_t bits = users.bits(r); bits != 0; bits &= bits - 1) {
        const std::size_t item = first + static_cast<std::size_t>(std::countr_zero(bits));
        if (item < end && !has_seen(r, item)) users.enqueue(r, static_cast<Index>(item), best_[r]);
      }
    }
  }

  void flush(QuantisedUsers<Isa>& users) {
    for (std::size_t r = 0; r < best_.size(); ++r) users.flush(r, best_[r]);
  }

  /// Called with ascending items, as it drops lower ones from the front of the seen items.
  [[nodiscard]] bool has_seen(std::size_t r, std::size_t item) {
    bool found = false;
    for (std::size_t part = 0; part < parts_; ++part) {
      std::span<const Index>& seen = seen_[r * parts_ + part];
      std::size_t skipped = 0;
      while (skipped < seen.size() && seen[skipped] < item) ++skipped;
      seen = seen.subspan(skipped);
      found = found || (!seen.empty() && seen.front() == item);
    }
    return found;
  }

  std::size_t dim_;
  std::size_t parts_;
  TableVector<T> rows_;
  std::vector<std::span<const Index>> seen_;  // users x parts; those in the panels still to be
                                              // visited
  std::vector<TopK<T>> best_;
};

/// Whether pruning is possible and selected.
template <class T, class Isa>
[[nodiscard]] bool uses_pruning(Pruning pruning, std::size_t users, std::size_t dim) {
  // Quantising the items costs as much as a few hundred users save, and pays off only if items can
  // be pruned; shorter rows are scored as quickly as bounded.
  constexpr std::size_t min_users = 4096, min_dim = 32, max_dim = std::size_t{1} << 15;
  if (!std::is_same_v<T, float> || dim > max_dim) return false;
  if (pruning != Pruning::automatic) return pruning == Pruning::always;
  return has_byte_dot_product<Isa> && users >= min_users && dim >= min_dim;
}

}  // namespace detail

/// Ranks all items for each of `users` and calls visit(position, best) once for every position in
/// `users`, from several threads: `best` holds at most k items, best first, equal scores in the
/// order of their ids, without the user's items in any of `exclude`.
/// @throws ArgumentError  for k of 0, or a user that is out of range for the scorer or for a part
///                        of `exclude`
template <Execution X, class T, class Visit>
void rank_items(const X& exec, const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Pruning pruning = Pruning::automatic) {
  using Isa = typename X::isa;
  require_at_least_one("k", k);
  std::size_t user_count = scorer.output.users().size();
  for (const Interactions* part : exclude) {
    user_count = std::min<std::size_t>(user_count, part->users());
  }
  for (const Index user : users) detail::check_row("users", user, user_count);
  const ItemPanels<T> items(exec, scorer, similarity);
  const std::size_t list_length = std::min(k, items.size());
  std::optional<detail::QuantisedItems> quantised_items;
  if constexpr (std::is_same_v<T, float>) {
    if (detail::uses_pruning<T, Isa>(pruning, users.size(), items.dim())) {
      quantised_items.emplace(exec, scorer, similarity, items);
    }
  }
  parallel_chunks(exec, users.size(), detail::UserBlock<T, Isa>::max_users,
                  [&](std::size_t begin, std::size_t end) {
                    detail::UserBlock<T, Isa> block(scorer, users.subspan(begin, end - begin),
                                                    list_length, exclude, similarity);
                    if constexpr (std::is_same_v<T, float>) {
                      if (quantised_items) block.rank(items, *quantised_items);
                    }
                    if (!quantised_items) block.rank(items);
                    for (std::size_t p = begin; p < end; ++p) visit(p, block.best(p - begin));
                  });
}

/// The same, on the host's threads.
template <class T, class Visit>
void rank_items(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Pruning pruning = Pruning::automatic) {
  rank_items(par, scorer, users, k, exclude, similarity, visit, pruning);
}

}  // namespace prism::inline PRISM_ISA
