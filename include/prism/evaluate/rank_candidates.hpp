// SPDX-License-Identifier: BSD-3-Clause
// Ranking among given items for each user: only these are scored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/similarity.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/kernel/ascending_rows.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Pushes the scores of some items for a user, in groups that share the reads of the user's row.
template <class Isa, class T>
class CandidateScores {
 public:
  CandidateScores(const Scorer<T>& scorer, Similarity similarity)
      : scorer_(&scorer),
        similarity_(similarity),
        dim_(scoring_dim(scorer)),
        user_row_(dim_),
        item_rows_(group_size * dim_) {
    for (std::size_t j = 0; j < group_size; ++j) row_of_[j] = item_rows_.data() + j * dim_;
  }
  CandidateScores(const CandidateScores&) = delete;
  CandidateScores& operator=(const CandidateScores&) = delete;

  void set_user(Index user) { write_user<Isa>(user_row_.data(), *scorer_, user, similarity_); }

  void push(Index item, TopK<T>& best) {
    write_item<Isa>(item_rows_.data() + count_ * dim_, *scorer_, item, similarity_);
    queued_[count_++] = item;
    if (count_ == group_size) flush(best);
  }
  void flush(TopK<T>& best) {
    T scores[group_size];
    dot_products<Isa>(scores, user_row_.data(), row_of_, dim_);
    for (std::size_t j = 0; j < count_; ++j) best.push(queued_[j], scores[j]);
    count_ = 0;
  }

 private:
  static constexpr std::size_t group_size = 8;

  const Scorer<T>* scorer_;
  Similarity similarity_;
  std::size_t dim_;
  std::vector<T> user_row_, item_rows_;
  const T* row_of_[group_size];
  Index queued_[group_size];
  std::size_t count_ = 0;
};

}  // namespace detail

/// Ranks each user's items in `candidates`, without those in any of `exclude`, and calls
/// visit(position, best) as rank_items() does. Scores equal those of rank_items(), bit for bit if
/// multiply-add is one instruction.
/// @throws ArgumentError  as rank_items(); for candidates of other numbers of users or items than
///     the scorer's
template <HostExecution X, class T, class Visit>
void rank_candidates(const X& exec, const Scorer<T>& scorer, std::span<const Index> users,
                     std::size_t k, const Interactions& candidates,
                     std::span<const Interactions* const> exclude, Similarity similarity,
                     const Visit& visit) {
  detail::check_ranking(scorer, users, k, exclude);
  require(candidates.users() == scorer.output.users().size() &&
              candidates.items() == scorer.output.items().size(),
          "candidates",
          "must have " + std::to_string(scorer.output.users().size()) + " users and " +
              std::to_string(scorer.output.items().size()) + " items, as the scorer has");
  const Interactions& given = candidates.on_host();
  constexpr std::size_t grain = 16;
  parallel_chunks(exec, users.size(), grain, [&](std::size_t begin, std::size_t end) {
    detail::CandidateScores<typename X::isa, T> scores(scorer, similarity);
    std::vector<detail::AscendingRows> excluded;
    for (std::size_t p = begin; p < end; ++p) {
      const std::span<const Index> items = given.items_of(users[p]);
      excluded.clear();
      for (const Interactions* part : exclude) {
        excluded.emplace_back(part->on_host().items_of(users[p]));
      }
      const detail::NotExcluded allows{excluded};
      TopK<T> best(std::min(k, std::max<std::size_t>(items.size(), 1)));
      scores.set_user(users[p]);
      for (const Index item : items) {
        if (allows(item)) scores.push(item, best);
      }
      scores.flush(best);
      visit(p, best.best());
    }
  });
}

/// The same for rows in a device's memory; the host ranks them, because the candidates are few.
template <DeviceExecution X, class T, class Visit>
void rank_candidates(const X& exec, const Scorer<T>& scorer, std::span<const Index> users,
                     std::size_t k, const Interactions& candidates,
                     std::span<const Interactions* const> exclude, Similarity similarity,
                     const Visit& visit) {
  const auto numbers = [](Rows<const T> rows) {
    return std::span<const T>(rows.data(), rows.num_elements());
  };
  const Rows<const T> user_rows = scorer.output.users(), item_rows = scorer.output.items();
  const HostView<T, X> user_numbers(exec, numbers(user_rows)),
      item_numbers(exec, numbers(item_rows));
  const Embeddings<const T> rows{
      Rows<const T>(user_numbers.numbers().data(), user_rows.size(), user_rows.dim()),
      Rows<const T>(item_numbers.numbers().data(), item_rows.size(), item_rows.dim())};
  const Scorer<T> on_host{Output<T>(rows), scorer.user_factor, scorer.item_factor, scorer.offset};
  rank_candidates(host_of(exec), on_host, users, k, candidates, exclude, similarity, visit);
}

/// The same, on the host's threads.
template <class T, class Visit>
void rank_candidates(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                     const Interactions& candidates, std::span<const Interactions* const> exclude,
                     Similarity similarity, const Visit& visit) {
  rank_candidates(par, scorer, users, k, candidates, exclude, similarity, visit);
}

}  // namespace prism::inline PRISM_ISA
