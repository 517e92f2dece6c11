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
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// How a user and an item are compared.
enum class Similarity { dot, cosine };

/// Items laid out for scoring: stripes of neighbouring items, each transposed.
template <class T>
class ItemStripes {
 public:
  static constexpr std::size_t stripe = 64;

  ItemStripes(Rows<const T> items, Similarity similarity)
      : size_(items.size()), dim_(items.dim()), data_(stripes() * items.dim() * stripe) {
    parallel_tasks(stripes(), [&](std::size_t s) {
      std::vector<T> unit(dim_);
      for (std::size_t column = 0; column < stripe; ++column) {
        const std::size_t item = s * stripe + column;
        if (item >= size_) break;  // the last stripe's remainder stays zero
        const T* row = items[item];
        if (similarity == Similarity::cosine) {
          normalise(unit.data(), row, dim_);
          row = unit.data();
        }
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

  UserBlock(Rows<const T> table, std::span<const Index> users, std::size_t k,
            std::span<const Interactions* const> exclude, Similarity similarity)
      : dim_(table.dim()), parts_(exclude.size()), rows_(users.size() * dim_) {
    for (std::size_t r = 0; r < users.size(); ++r) {
      T* const row = rows_.data() + r * dim_;
      std::copy_n(table[users[r]], dim_, row);
      if (similarity == Similarity::cosine) normalise(row, row, dim_);
      for (const Interactions* part : exclude) seen_.push_back(part->items_of(users[r]));
      best_.emplace_back(k);
    }
  }

  /// Scores stripe s; stripes come in ascending order.
  void rank(const ItemStripes<T>& items, std::size_t s) {
    constexpr std::size_t stripe = ItemStripes<T>::stripe;
    alignas(64) T scores[most * stripe];
    product<Product::overwrite>(best_.size(), stripe, dim_, {rows_.data(), dim_, 1}, items[s],
                                stripe, scores, stripe);
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
/// order of their ids, without those that the user has in any of `exclude`. Under
/// Similarity::cosine a score is the cosine.
template <class T, class Visit>
void rank_items(Embeddings<const T> output, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit) {
  const ItemStripes<T> items(output.items, similarity);
  const std::size_t longest = std::min(k, items.size());
  parallel_chunks(users.size(), detail::UserBlock<T>::most,
                  [&](std::size_t begin, std::size_t end) {
                    detail::UserBlock<T> block(output.users, users.subspan(begin, end - begin),
                                               longest, exclude, similarity);
                    for (std::size_t s = 0; s < items.stripes(); ++s) block.rank(items, s);
                    for (std::size_t p = begin; p < end; ++p) visit(p, block.best(p - begin));
                  });
}

}  // namespace prism::inline PRISM_ISA
