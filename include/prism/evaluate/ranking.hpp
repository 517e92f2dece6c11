// SPDX-License-Identifier: BSD-3-Clause
// Full ranking: every item is scored for every user, and only the best are kept. The scores of a
// few users with a few items exist at a time, never a users x items matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// How a user's and an item's output row are compared.
enum class Similarity { dot, cosine };

namespace detail {

/// Rows whose dot products are a scorer's scores. A rule with an offset takes one more column:
/// f g (u . i - offset) = (f u, f) . (g i, -g offset).
template <class T>
[[nodiscard]] std::size_t scoring_dim(const Scorer<T>& scorer) noexcept {
  return scorer.output.items().dim() + (scorer.offset != 0 ? 1 : 0);
}

/// @param to      scoring_dim(scorer) elements
/// @param factor  of the user, or of the item
/// @param extra   the additional column before the factor: 1 for users, -offset for items
template <class T>
void write_scoring_row(T* to, const T* row, std::size_t dim, T factor, T extra, bool has_extra,
                       Similarity similarity) noexcept {
  if (similarity == Similarity::cosine) {
    normalise(to, row, dim);
    scale(to, factor, to, dim);
  } else {
    scale(to, factor, row, dim);
  }
  if (has_extra) to[dim] = factor * extra;
}

template <class T>
void write_user(T* to, const Scorer<T>& scorer, std::size_t user, Similarity similarity) noexcept {
  const Rows<const T> users = scorer.output.users();
  write_scoring_row(to, users[user], users.dim(), scorer.factor_of_user(user), T{1},
                    scorer.offset != 0, similarity);
}

template <class T>
void write_item(T* to, const Scorer<T>& scorer, std::size_t item, Similarity similarity) noexcept {
  const Rows<const T> items = scorer.output.items();
  write_scoring_row(to, items[item], items.dim(), scorer.factor_of_item(item), -scorer.offset,
                    scorer.offset != 0, similarity);
}

}  // namespace detail

/// Items laid out for scoring: stripes of neighbouring items, each transposed.
template <class T>
class ItemStripes {
 public:
  static constexpr std::size_t stripe = 64;

  ItemStripes(const Scorer<T>& scorer, Similarity similarity)
      : size_(scorer.output.items().size()),
        dim_(detail::scoring_dim(scorer)),
        data_(stripes() * dim_ * stripe) {
    parallel_tasks(stripes(), [&](std::size_t s) {
      std::vector<T> row(dim_);
      for (std::size_t column = 0; column < stripe; ++column) {
        const std::size_t item = s * stripe + column;
        if (item >= size_) break;  // the last stripe's remainder stays zero
        detail::write_item(row.data(), scorer, item, similarity);
        for (std::size_t k = 0; k < dim_; ++k) data_[(s * dim_ + k) * stripe + column] = row[k];
      }
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t stripes() const noexcept { return (size_ + stripe - 1) / stripe; }
  /// Stripe s: dim x stripe, row-major.
  [[nodiscard]] const T* operator[](std::size_t s) const noexcept {
    return data_.data() + s * dim_ * stripe;
  }

 private:
  std::size_t size_;
  std::size_t dim_;
  std::vector<T, CacheAlignedAllocator<T>> data_;
};

namespace detail {

/// Users that are ranked together, so that a stripe of items serves all of them while it lies in
/// cache: their rows, what each has seen, and the best so far.
template <class T>
class UserBlock {
 public:
  static constexpr std::size_t most = 96;

  UserBlock(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
            std::span<const Interactions* const> exclude, Similarity similarity)
      : dim_(scoring_dim(scorer)), parts_(exclude.size()), rows_(users.size() * dim_) {
    for (std::size_t r = 0; r < users.size(); ++r) {
      write_user(rows_.data() + r * dim_, scorer, users[r], similarity);
      for (const Interactions* part : exclude) seen_.push_back(part->items_of(users[r]));
      best_.emplace_back(k);
    }
  }

  /// Scores stripe s; stripes come in ascending order.
  void rank(const ItemStripes<T>& items, std::size_t s) {
    constexpr std::size_t stripe = ItemStripes<T>::stripe;
    alignas(64) T scores[most * stripe];
    product<Store::overwrite>(best_.size(), stripe, dim_, {rows_.data(), dim_, 1}, items[s], stripe,
                              scores, stripe);
    const std::size_t first = s * stripe;
    const std::size_t width = std::min(stripe, items.size() - first);
    for (std::size_t r = 0; r < best_.size(); ++r) {
      T* const line = scores + r * stripe;
      for (std::size_t part = 0; part < parts_; ++part) {
        mask(seen_[r * parts_ + part], line, first, first + width);
      }
      best_[r].offer_all(static_cast<Index>(first), line, width);
    }
  }

  [[nodiscard]] std::span<const Scored<T>> best(std::size_t r) const { return best_[r].best(); }

 private:
  /// Takes the scores of the seen items in [first, end) out of the running, and those items off the
  /// front of `seen`.
  static void mask(std::span<const Index>& seen, T* line, std::size_t first, std::size_t end) {
    std::size_t passed = 0;
    for (; passed < seen.size() && seen[passed] < end; ++passed) {
      line[seen[passed] - first] = -std::numeric_limits<T>::infinity();
    }
    seen = seen.subspan(passed);
  }

  std::size_t dim_;
  std::size_t parts_;
  std::vector<T, CacheAlignedAllocator<T>> rows_;
  std::vector<std::span<const Index>> seen_;  // users x parts; what the stripes to come still hold
  std::vector<TopK<T>> best_;
};

}  // namespace detail

/// Ranks all items for each of `users` and calls visit(position, best) once for every position in
/// `users`, from several threads: `best` holds at most k items, best first, equal scores in the
/// order of their ids, without those that the user has in any of `exclude`.
template <class T, class Visit>
void rank_items(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit) {
  const ItemStripes<T> items(scorer, similarity);
  const std::size_t longest = std::min(k, items.size());
  parallel_chunks(users.size(), detail::UserBlock<T>::most,
                  [&](std::size_t begin, std::size_t end) {
                    detail::UserBlock<T> block(scorer, users.subspan(begin, end - begin), longest,
                                               exclude, similarity);
                    for (std::size_t s = 0; s < items.stripes(); ++s) block.rank(items, s);
                    for (std::size_t p = begin; p < end; ++p) visit(p, block.best(p - begin));
                  });
}

}  // namespace prism::inline PRISM_ISA
