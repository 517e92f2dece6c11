// SPDX-License-Identifier: BSD-3-Clause
// Full ranking: every item is scored for every user, and only the best are kept. The scores of a
// few users with a few items exist at a time, never a users x items matrix.
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
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/evaluate/screening.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/product.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/output.hpp"

namespace prism {

/// Whether items that cannot be among a user's best are told from the others by products of bytes
/// and not scored. The ranking is the same bit for bit.
enum class Screening {
  where_quicker,  ///< on processors that multiply bytes, for many users with long rows
  never,
  always,  ///< wherever numbers are float, and rows of at most 2^15 columns
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

namespace detail {

inline void check_row(const char* argument, Index row, std::size_t size) {
  require(row < size, argument,
          "must be below " + std::to_string(size) + ", not " + std::to_string(row));
}

/// Users that are ranked together, so that a stripe of items serves all of them while it lies in
/// cache: their rows, what each has seen, and the best so far.
template <class T, class Isa>
class UserBlock {
 public:
  static constexpr std::size_t most = 96;

  UserBlock(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
            std::span<const Interactions* const> exclude, Similarity similarity)
      : dim_(scoring_dim(scorer)), parts_(exclude.size()), rows_(users.size() * dim_) {
    for (std::size_t r = 0; r < users.size(); ++r) {
      write_user<Isa>(rows_.data() + r * dim_, scorer, users[r], similarity);
      for (const Interactions* part : exclude) seen_.push_back(part->items_of(users[r]));
      best_.emplace_back(k);
    }
  }

  void rank(const ItemStripes<T>& items) {
    for (std::size_t s = 0; s < items.stripes(); ++s) rank(items, s);
  }

  /// The same, by way of screening.
  void rank(const ItemStripes<T>& items, const ScreenedItems& screened) {
    ScreenedUsers<Isa> users(screened, rows_.data(), best_.size(), dim_);
    for (std::size_t s = 0; s < items.stripes(); ++s) {
      if (users.try_stripe(s)) {
        wait(users, s * ItemStripes<T>::stripe, items.size());
        continue;
      }
      settle(users);  // items are offered in ascending order
      rank(items, s);
      for (std::size_t r = 0; r < best_.size(); ++r) users.raise_threshold(r, best_[r].threshold());
    }
    settle(users);
  }

  [[nodiscard]] std::span<const Scored<T>> best(std::size_t r) const { return best_[r].best(); }

 private:
  /// Scores stripe s; stripes come in ascending order.
  void rank(const ItemStripes<T>& items, std::size_t s) {
    constexpr std::size_t stripe = ItemStripes<T>::stripe;
    alignas(64) T scores[most * stripe];
    product<Store::overwrite, Isa>(best_.size(), stripe, dim_, {rows_.data(), dim_, 1}, items[s],
                                   stripe, scores, stripe);
    const std::size_t first = s * stripe;
    const std::size_t width = std::min(stripe, items.size() - first);
    for (std::size_t r = 0; r < best_.size(); ++r) {
      T* const line = scores + r * stripe;
      for (std::size_t part = 0; part < parts_; ++part) {
        mask(seen_[r * parts_ + part], line, first, first + width);
      }
      best_[r].template offer_all<Isa>(static_cast<Index>(first), line, width);
    }
  }

  /// Takes the scores of the seen items in [first, end) out of the running, and the items up to
  /// `end` off the front of `seen`.
  static void mask(std::span<const Index>& seen, T* line, std::size_t first, std::size_t end) {
    std::size_t passed = 0;
    for (; passed < seen.size() && seen[passed] < end; ++passed) {
      if (seen[passed] >= first) line[seen[passed] - first] = -std::numeric_limits<T>::infinity();
    }
    seen = seen.subspan(passed);
  }

  /// Has the unseen items that passed, of the stripe at `first`, wait for their scores.
  void wait(ScreenedUsers<Isa>& users, std::size_t first, std::size_t end) {
    for (const std::size_t r : users.passed()) {
      for (std::uint64_t bits = users.bits(r); bits != 0; bits &= bits - 1) {
        const std::size_t item = first + static_cast<std::size_t>(std::countr_zero(bits));
        if (item < end && !has_seen(r, item)) users.wait(r, static_cast<Index>(item), best_[r]);
      }
    }
  }

  void settle(ScreenedUsers<Isa>& users) {
    for (std::size_t r = 0; r < best_.size(); ++r) users.settle(r, best_[r]);
  }

  /// Items are asked for in ascending order.
  [[nodiscard]] bool has_seen(std::size_t r, std::size_t item) {
    bool found = false;
    for (std::size_t part = 0; part < parts_; ++part) {
      std::span<const Index>& seen = seen_[r * parts_ + part];
      std::size_t passed = 0;
      while (passed < seen.size() && seen[passed] < item) ++passed;
      seen = seen.subspan(passed);
      found = found || (!seen.empty() && seen.front() == item);
    }
    return found;
  }

  std::size_t dim_;
  std::size_t parts_;
  TableVector<T> rows_;
  std::vector<std::span<const Index>> seen_;  // users x parts; what the stripes to come still hold
  std::vector<TopK<T>> best_;
};

/// Whether screening can be right, and whether it is asked for.
template <class T, class Isa>
[[nodiscard]] bool screens(Screening screening, std::size_t users, std::size_t dim) {
  // Making bytes of the items costs what a few hundred users save by it, and is lost where nothing
  // can be left out; shorter rows are scored as quickly as they are screened.
  constexpr std::size_t fewest_users = 4096, shortest = 32, longest = std::size_t{1} << 15;
  if (!std::is_same_v<T, float> || dim > longest) return false;
  if (screening != Screening::where_quicker) return screening == Screening::always;
  return multiplies_bytes<Isa> && users >= fewest_users && dim >= shortest;
}

}  // namespace detail

/// Ranks all items for each of `users` and calls visit(position, best) once for every position in
/// `users`, from several threads: `best` holds at most k items, best first, equal scores in the
/// order of their ids, without those that the user has in any of `exclude`.
/// @throws ArgumentError  for k of 0, a user that is no row, or an excluded part without that row
template <Execution X, class T, class Visit>
void rank_items(const X& exec, const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Screening screening = Screening::where_quicker) {
  using Isa = typename X::isa;
  require_some("k", k);
  std::size_t known = scorer.output.users().size();
  for (const Interactions* part : exclude) known = std::min<std::size_t>(known, part->users());
  for (const Index user : users) detail::check_row("users", user, known);
  const ItemStripes<T> items(exec, scorer, similarity);
  const std::size_t longest = std::min(k, items.size());
  std::optional<detail::ScreenedItems> screened;
  if constexpr (std::is_same_v<T, float>) {
    if (detail::screens<T, Isa>(screening, users.size(), items.dim()))
      screened.emplace(exec, items);
  }
  parallel_chunks(exec, users.size(), detail::UserBlock<T, Isa>::most,
                  [&](std::size_t begin, std::size_t end) {
                    detail::UserBlock<T, Isa> block(scorer, users.subspan(begin, end - begin),
                                                    longest, exclude, similarity);
                    if constexpr (std::is_same_v<T, float>) {
                      if (screened) block.rank(items, *screened);
                    }
                    if (!screened) block.rank(items);
                    for (std::size_t p = begin; p < end; ++p) visit(p, block.best(p - begin));
                  });
}

/// The same, on the host's threads.
template <class T, class Visit>
void rank_items(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Screening screening = Screening::where_quicker) {
  rank_items(par, scorer, users, k, exclude, similarity, visit, screening);
}

}  // namespace prism::inline PRISM_ISA
