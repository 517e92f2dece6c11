// SPDX-License-Identifier: BSD-3-Clause
// Full ranking: every item is scored for every user, and the k best are kept. Only the scores of
// some users with some items exist at a time, never a users x items matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/similarity.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/device_ranking.hpp"
#include "prism/evaluate/query_block.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/kernel/ascending_rows.hpp"
#include "prism/kernel/byte_accumulator.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/policy/output.hpp"

namespace prism {

/// Whether to skip items that an upper bound, from products of bytes, rules out of a user's best.
/// The ranking is bit-identical.
enum class Pruning {
  automatic,  ///< with AVX2, AVX-512 or NEON, for at least 512 users and 8 columns
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

template <class T>
void check_ranking(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                   std::span<const Interactions* const> exclude) {
  require_at_least_one("k", k);
  check_scorer(scorer);
  std::size_t user_count = scorer.output.users().size();
  for (const Interactions* part : exclude) {
    require(part != nullptr, "exclude", "each part must be non-null");
    user_count = std::min<std::size_t>(user_count, part->users());
  }
  for (const Index user : users) check_row("users", user, user_count);
}

/// A filter that allows all but a user's items in some parts.
struct NotExcluded {
  std::span<const AscendingRows> items;  ///< of each part

  bool operator()(Index item) const noexcept {
    return std::ranges::none_of(items,
                                [=](const AscendingRows& part) { return part.contains(item); });
  }
};

/// Whether pruning is possible and selected.
template <class T, class Isa>
[[nodiscard]] bool uses_pruning(Pruning pruning, std::size_t users, std::size_t dim) {
  // Quantising 41,000 items takes as long as the bounds save for 100 to 400 users, depending on
  // instruction set and dimension (8 to 128); from 512 users on, no ranking of 1 to 100 items took
  // longer with them.
  constexpr std::size_t min_users = 512, min_dim = 8, max_dim = std::size_t{1} << 15;
  if (!std::is_same_v<T, float> || dim == 0 || dim > max_dim) return false;
  if (pruning != Pruning::automatic) return pruning == Pruning::always;
  return ByteProducts<Isa>::exceed_floats && users >= min_users && dim >= min_dim;
}

}  // namespace detail

/// Ranks all items for each of `users` and calls visit(position, best) once for every position in
/// `users`, from several threads: `best` holds at most k items, best first, equal scores in the
/// order of their rows, without the user's items in any of `exclude`.
/// @throws ArgumentError  for k of 0, a user that is out of range for the scorer or for a part of
///     `exclude`, or a scorer whose rows or factors do not fit together
template <HostExecution X, class T, class Visit>
void rank_items(const X& exec, const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Pruning pruning = Pruning::automatic) {
  static_assert(has_implementation<X>);
  using Isa = typename X::isa;
  detail::check_ranking(scorer, users, k, exclude);
  const bool quantised =
      detail::uses_pruning<T, Isa>(pruning, users.size(), detail::scoring_dim(scorer));
  const detail::RankedItems<T> items(exec, scorer, similarity, quantised);
  const std::size_t list_length = std::min(k, items.size());
  constexpr std::size_t max_users = detail::QueryBlock<T, Isa>::max_queries;
  parallel_chunks(exec, users.size(), max_users, [&](std::size_t begin, std::size_t end) {
    TableVector<T> rows((end - begin) * items.dim());
    std::vector<detail::AscendingRows> excluded;
    std::vector<detail::NotExcluded> not_excluded;
    std::vector<detail::FilterView> filters;
    excluded.reserve((end - begin) * exclude.size());
    not_excluded.reserve(end - begin);
    for (std::size_t p = begin; p < end; ++p) {
      detail::write_user<Isa>(rows.data() + (p - begin) * items.dim(), scorer, users[p],
                              similarity);
      for (const Interactions* part : exclude) {
        excluded.emplace_back(part->on_host().items_of(users[p]));
      }
      not_excluded.push_back({std::span(excluded).last(exclude.size())});
      filters.emplace_back(not_excluded.back());
    }
    detail::QueryBlock<T, Isa> block(items, {rows.data(), end - begin, items.dim()}, filters,
                                     list_length);
    block.rank(0, items.panels());
    for (std::size_t p = begin; p < end; ++p) visit(p, block.best(p - begin));
  });
}

/// The same on a device, by the same rules but without pruning. Rows and parts in device memory are
/// read in place. From parts in host memory, the users' lists are copied; from rows in host memory,
/// the scoring rows. The host calls visit().
template <DeviceExecution X, class T, class Visit>
void rank_items(const X& exec, const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Pruning /*pruning*/ = Pruning::automatic) {
  detail::check_ranking(scorer, users, k, exclude);
  detail::rank_on_device(exec, scorer, users, k, exclude, similarity, visit);
}

/// The same, on the host's threads.
template <class T, class Visit>
void rank_items(const Scorer<T>& scorer, std::span<const Index> users, std::size_t k,
                std::span<const Interactions* const> exclude, Similarity similarity,
                const Visit& visit, Pruning pruning = Pruning::automatic) {
  rank_items(par, scorer, users, k, exclude, similarity, visit, pruning);
}

}  // namespace prism::inline PRISM_ISA
