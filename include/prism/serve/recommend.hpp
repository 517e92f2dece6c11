// SPDX-License-Identifier: BSD-3-Clause
// Recommendations for users.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/most_popular.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/ascending_rows.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/output.hpp"
#include "prism/serve/recommend_options.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// @throws ArgumentError  for a user out of range for the scorer or for `seen`, k of 0, another
///     number than a similarity's, or a scorer whose rows or factors do not fit together
template <class T>
void check_recommend(const Scorer<T>& scorer, const Interactions& seen, Index user, std::size_t k,
                     const RecommendOptions& options) {
  check_scorer(scorer);
  check_row("user", user, scorer.output.users().size());
  require(!options.exclude_seen || user < seen.users(), "user",
          "must be below " + std::to_string(seen.users()) +
              ", the number of users in `seen`, unless exclude_seen is false, not " +
              std::to_string(user));
  require_at_least_one("k", k);
  require_enumerator("similarity", options.similarity, Similarity::cosine);
}

}  // namespace detail

/// Returns the k best items for a user, best first, or all items if there are fewer. Scores equal
/// those of evaluate(), bit for bit if multiply-add is one instruction. Each list takes one pass
/// over the items' rows; a server should keep an ItemIndex.
/// @param scorer  from Recommender::scorer(); keep one to serve many users
/// @param seen    the items to leave out, if options.exclude_seen
/// @throws ArgumentError  for k of 0, or a user that is out of range for the scorer, or for `seen`
///                        if options.exclude_seen
template <HostExecution X, class T>
[[nodiscard]] std::vector<ScoredItem<T>> recommend(const X& /*exec*/, const Scorer<T>& scorer,
                                                   const Interactions& seen, Index user,
                                                   std::size_t k,
                                                   const RecommendOptions& options = {}) {
  using Isa = typename X::isa;
  detail::check_recommend(scorer, seen, user, k, options);
  const FlushDenormals flush_denormals;  // as in the loops of a ranking
  constexpr std::size_t group_size = 8;
  const std::size_t dim = detail::scoring_dim(scorer);
  std::vector<T> user_row(dim), item_rows(group_size * dim);
  detail::write_user<Isa>(user_row.data(), scorer, user, options.similarity);
  const T* row_of[group_size];
  for (std::size_t j = 0; j < group_size; ++j) row_of[j] = item_rows.data() + j * dim;
  const std::size_t items = scorer.output.items().size();
  TopK<T> best(std::min(k, items));
  Index queued[group_size];
  std::size_t count = 0;
  const auto score_queued = [&] {
    T scores[group_size];
    detail::dot_products<Isa>(scores, user_row.data(), row_of, dim);
    for (std::size_t j = 0; j < count; ++j) best.push(queued[j], scores[j]);
    count = 0;
  };
  const detail::AscendingRows left_out(options.exclude_seen ? seen.on_host().items_of(user)
                                                            : std::span<const Index>());
  for (Index item = 0; item < items; ++item) {
    if (left_out.contains(item)) continue;
    detail::write_item<Isa>(item_rows.data() + count * dim, scorer, item, options.similarity);
    queued[count++] = item;
    if (count == group_size) score_queued();
  }
  score_queued();
  return {best.best().begin(), best.best().end()};
}

/// Returns the lists of several users, in the order of `users`: recommend() of each, in parallel.
/// @throws ArgumentError  as recommend() of one user, for each of the users
template <Execution X, class T>
[[nodiscard]] std::vector<std::vector<ScoredItem<T>>> recommend(
    const X& exec, const Scorer<T>& scorer, const Interactions& seen, std::span<const Index> users,
    std::size_t k, const RecommendOptions& options = {}) {
  for (const Index user : users) detail::check_recommend(scorer, seen, user, k, options);
  const Interactions* const left_out[] = {&seen};
  std::vector<std::vector<ScoredItem<T>>> lists(users.size());
  rank_items(exec, scorer, users, k, std::span(left_out).first(options.exclude_seen ? 1 : 0),
             options.similarity, [&](std::size_t position, std::span<const ScoredItem<T>> best) {
               lists[position].assign(best.begin(), best.end());
             });
  return lists;
}

/// Returns the list of one user, computed on a device.
/// @throws ArgumentError  as on the host
template <DeviceExecution X, class T>
[[nodiscard]] std::vector<ScoredItem<T>> recommend(const X& exec, const Scorer<T>& scorer,
                                                   const Interactions& seen, Index user,
                                                   std::size_t k,
                                                   const RecommendOptions& options = {}) {
  return recommend(exec, scorer, seen, std::span<const Index>(&user, 1), k, options).front();
}

namespace detail {

/// Whether a model recommends the most popular items to a user.
[[nodiscard]] inline bool gets_popular(const Interactions& train, Index user,
                                       const RecommendOptions& options) {
  require_enumerator("untrained", options.untrained, Untrained::rows);
  return options.untrained == Untrained::popular && user < train.users() &&
         train.on_host().user_degree()[user] == 0;
}

/// The most popular items, for a user who has seen none.
template <class T, Execution X>
[[nodiscard]] std::vector<ScoredItem<T>> popular_items(const X& exec, const Interactions& train,
                                                       Index user, std::size_t k) {
  return recommend(host_of(exec), most_popular<T>(train.on_host()), train.on_host(), user, k);
}

/// The list of a model, which `scorer` is of.
template <Execution X, class T>
[[nodiscard]] std::vector<ScoredItem<T>> recommend_by_model(const X& exec, const Scorer<T>& scorer,
                                                            const Interactions& train, Index user,
                                                            std::size_t k,
                                                            const RecommendOptions& options) {
  if (gets_popular(train, user, options)) return popular_items<T>(exec, train, user, k);
  return recommend(exec, scorer, train, user, k, options);
}
template <Execution X, class T>
[[nodiscard]] std::vector<std::vector<ScoredItem<T>>> recommend_by_model(
    const X& exec, const Scorer<T>& scorer, const Interactions& train, std::span<const Index> users,
    std::size_t k, const RecommendOptions& options) {
  require_enumerator("untrained", options.untrained, Untrained::rows);
  std::vector<Index> ranked;
  for (const Index user : users) {
    if (!gets_popular(train, user, options)) ranked.push_back(user);
  }
  auto lists = recommend(exec, scorer, train, ranked, k, options);
  if (ranked.size() == users.size()) return lists;
  std::vector<ScoredItem<T>> popular;  // the same for all others
  std::vector<std::vector<ScoredItem<T>>> all(users.size());
  std::size_t next = 0;
  for (std::size_t position = 0; position < users.size(); ++position) {
    if (!gets_popular(train, users[position], options)) {
      all[position] = std::move(lists[next++]);
      continue;
    }
    if (popular.empty()) popular = popular_items<T>(exec, train, users[position], k);
    all[position] = popular;
  }
  return all;
}

}  // namespace detail

/// Recommends with model.scorer(exec), with the model's training set as `seen`. Users without an
/// interaction there get the most popular items, unless options.untrained is Untrained::rows.
template <Execution X, class Model>
[[nodiscard]] auto recommend(const X& exec, const Model& model, Index user, std::size_t k,
                             const RecommendOptions& options = {}) {
  return detail::recommend_by_model(exec, model.scorer(exec), model.train(), user, k, options);
}
template <Execution X, class Model>
[[nodiscard]] auto recommend(const X& exec, const Model& model, std::span<const Index> users,
                             std::size_t k, const RecommendOptions& options = {}) {
  return detail::recommend_by_model(exec, model.scorer(exec), model.train(), users, k, options);
}

/// Run on the host's threads: recommend(par, ...).
template <class T>
[[nodiscard]] std::vector<ScoredItem<T>> recommend(const Scorer<T>& scorer,
                                                   const Interactions& seen, Index user,
                                                   std::size_t k,
                                                   const RecommendOptions& options = {}) {
  return recommend(par, scorer, seen, user, k, options);
}
template <class T>
[[nodiscard]] std::vector<std::vector<ScoredItem<T>>> recommend(
    const Scorer<T>& scorer, const Interactions& seen, std::span<const Index> users, std::size_t k,
    const RecommendOptions& options = {}) {
  return recommend(par, scorer, seen, users, k, options);
}
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] auto recommend(const Model& model, Index user, std::size_t k,
                             const RecommendOptions& options = {}) {
  return recommend(par, model, user, k, options);
}
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] auto recommend(const Model& model, std::span<const Index> users, std::size_t k,
                             const RecommendOptions& options = {}) {
  return recommend(par, model, users, k, options);
}

/// Recommends for the user of this id in the data.
/// @throws ArgumentError  if the training set has no such user; otherwise as for a row index
template <class Model>
  requires(!Execution<Model>)
[[nodiscard]] auto recommend(const Model& model, std::string_view user_id, std::size_t k,
                             const RecommendOptions& options = {}) {
  const Index user = model.train().find_user(user_id);
  require(user != absent, "user",
          "must be an id of the training set, not '" + std::string(user_id) + "'");
  return recommend(par, model, user, k, options);
}

// Without this overload, {0, 2} would be converted to a string_view of a null pointer.
template <class Model>
auto recommend(const Model& model, std::initializer_list<Index> users, std::size_t k,
               const RecommendOptions& options = {}) {
  return recommend(par, model, std::span<const Index>(users.begin(), users.size()), k, options);
}

}  // namespace prism::inline PRISM_ISA
