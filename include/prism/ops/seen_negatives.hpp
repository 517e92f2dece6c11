// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Calls visit(q) for each position q in Batch::negatives, which are shared, of an item row.
template <class Visit>
void for_each_negative_of(const Batch& batch, std::size_t item_row, const Visit& visit) {
  const std::span<const Index> occurrences = batch.item_side.occurrence_positions(item_row);
  // Occurrences are ascending, and those as a negative come last.
  for (std::size_t s = occurrences.size(); s-- > 0 && occurrences[s] >= batch.pairs();) {
    visit(occurrences[s] - batch.pairs());
  }
}

/// Which shared negatives each user of a batch has a training interaction with: a bit for each user
/// and negative, a 32nd of the memory that all scores in float would take.
class SeenNegatives {
  static constexpr std::size_t word_bits = 64;

 public:
  /// Visits the training interactions of the negatives or those of the users, whichever are fewer.
  /// @param scratch  of the memory, which the object refers to
  template <HostExecution X>
  SeenNegatives(const X& exec, const Batch& batch, Scratch& scratch)
      : words_(scratch.allocate_zeros<std::uint64_t>(
            exec, batch.user_side.num_active,
            (batch.negatives.size() + word_bits - 1) / word_bits)) {
    const Interactions& train = batch.train.on_host();
    const BatchSide &users = batch.user_side, &items = batch.item_side;
    std::size_t negative_degrees = 0, user_degrees = 0;
    for (const Index k : batch.negatives) {
      negative_degrees += train.item_degree()[items.unique_rows[k]];
    }
    for (std::size_t k = 0; k < users.num_active; ++k) {
      user_degrees += train.user_degree()[users.unique_rows[k]];
    }
    if (negative_degrees <= user_degrees) {
      visit_negatives(exec, batch, train);
    } else {
      visit_users(exec, batch, train);
    }
  }

  /// Masks the negatives that user row k has seen.
  /// @param scores  of the negatives
  template <class T>
  void mask(std::size_t k, T* scores) const noexcept {
    const std::uint64_t* const user_words = words_[k];
    for (std::size_t w = 0; w < words_.dim(); ++w) {
      for (std::uint64_t left = user_words[w]; left != 0; left &= left - 1) {
        scores[w * word_bits + static_cast<std::size_t>(std::countr_zero(left))] = masked_score<T>;
      }
    }
  }

 private:
  /// Each task sets a word of its own for every user.
  template <HostExecution X>
  void visit_negatives(const X& exec, const Batch& batch, const Interactions& train) const {
    parallel_tasks(exec, words_.dim(), [&](std::size_t w) {
      const std::size_t first = w * word_bits;
      const std::size_t count = std::min(word_bits, batch.negatives.size() - first);
      for (std::size_t bit = 0; bit < count; ++bit) {
        const Index item = batch.item_side.unique_rows[batch.negatives[first + bit]];
        for (const Index user : train.users_of(item)) {
          const Index k = batch.user_side.inverse_index[user];
          if (k < batch.user_side.num_active) words_[k][w] |= std::uint64_t{1} << bit;
        }
      }
    });
  }

  template <HostExecution X>
  void visit_users(const X& exec, const Batch& batch, const Interactions& train) const {
    const BatchSide& items = batch.item_side;
    constexpr std::size_t grain = 64;
    parallel_chunks(exec, batch.user_side.num_active, grain,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t k = begin; k < end; ++k) {
                        for (const Index item : train.items_of(batch.user_side.unique_rows[k])) {
                          const Index row = items.inverse_index[item];
                          if (row >= items.num_active) continue;
                          for_each_negative_of(batch, row, [&](std::size_t q) {
                            words_[k][q / word_bits] |= std::uint64_t{1} << q % word_bits;
                          });
                        }
                      }
                    });
  }

  Rows<std::uint64_t> words_;  // active users x words; bit b of word w is negative 64 w + b
};

}  // namespace prism::inline PRISM_ISA::detail
