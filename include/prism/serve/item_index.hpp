// SPDX-License-Identifier: BSD-3-Clause
// An index of a model's items for exact top-k queries.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/similarity.hpp"
#include "prism/evaluate/query_block.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/evaluate/scoring_rows.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/policy/output.hpp"
#include "prism/serve/item_filter.hpp"
#include "prism/serve/query.hpp"
#include "prism/serve/search.hpp"

namespace prism::inline PRISM_ISA {

/// Options of ItemIndex.
struct ItemIndexOptions {
  Similarity similarity = Similarity::dot;
  /// `automatic`: with AVX2, AVX-512 or NEON, for rows of at least 8 columns.
  Pruning pruning = Pruning::automatic;
};

/// An index of a model's or a scorer's items, queried by a user's output row. Scores and order are
/// bit-identical to those of rank_items() and of recommend() from a scorer: bounds from products of
/// bytes and from the rows' magnitudes rule out items that cannot be among the best, and only the
/// others are scored.
///
/// Immutable; any number of threads may query it at once. Owns its data, so it may outlive the
/// model: items x dim numbers, plus a byte for each of them if quantised. Copies share the data.
///
///   const ItemIndex index(model);
///   const Scorer<float> scorer = model.scorer();
///   const auto top = index.top_k(query_of(scorer, user), 10, Unseen(model.train(), user));
///
/// @tparam X  where it is built and where queries run
template <class T, Execution X = Host<>>
class ItemIndex {
 public:
  explicit ItemIndex(const Scorer<T>& scorer, const ItemIndexOptions& options = {})
      : ItemIndex(X{}, scorer, options) {}
  ItemIndex(const X& exec, const Scorer<T>& scorer, const ItemIndexOptions& options = {})
      : exec_(exec),
        dim_(checked(scorer).output.items().dim()),
        has_offset_(scorer.offset != 0),
        similarity_(options.similarity),
        items_(std::make_shared<const Items>(
            exec, scorer, options.similarity,
            // As for a ranking of many users, since the items are quantised once.
            detail::uses_pruning<T, Isa>(options.pruning, max_rows, detail::scoring_dim(scorer)),
            typename Items::LongestFirst{})) {
    require_enumerator("similarity", options.similarity, Similarity::cosine);
    require_enumerator("pruning", options.pruning, Pruning::always);
  }
  /// From a model's scorer.
  template <class Model>
    requires std::same_as<typename Model::scalar_type, T>
  explicit ItemIndex(const Model& model, const ItemIndexOptions& options = {})
      : ItemIndex(X{}, model.scorer(X{}), options) {}
  template <class Model>
    requires std::same_as<typename Model::scalar_type, T>
  ItemIndex(const X& exec, const Model& model, const ItemIndexOptions& options = {})
      : ItemIndex(exec, model.scorer(exec), options) {}

  /// The number of items.
  [[nodiscard]] std::size_t size() const noexcept { return items_->size(); }
  /// The dimension of a query's row.
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] Similarity similarity() const noexcept { return similarity_; }

  /// Returns the k best items that the filter allows, best first. Large catalogues are searched by
  /// several threads.
  /// @throws ArgumentError  for k of 0, or a row that does not have dim() numbers
  template <ItemFilter Filter = AllItems>
  [[nodiscard]] TopKResult<T> top_k(const Query<T>& query, std::size_t k,
                                    const Filter& filter = {}) const {
    check({&query, 1}, k);
    const OneFilter one(filter);
    TopKResult<T> result;
    answer({&query, 1}, k, {&one, 1}, true, {&result, 1});
    return result;
  }

  /// Returns the k best allowed items of each query of a batch, in parallel over the queries.
  /// @param filter  a filter for all queries, or a function that returns the filter of the query at
  ///     a position
  /// @throws ArgumentError  for k of 0, or a row that does not have dim() numbers
  template <class Filter = AllItems>
    requires(ItemFilter<Filter> || FilterOfQuery<Filter>)
  [[nodiscard]] std::vector<TopKResult<T>> top_k(std::span<const Query<T>> queries, std::size_t k,
                                                 const Filter& filter = {}) const {
    check(queries, k);
    std::vector<TopKResult<T>> results(queries.size());
    // A batch of a single block is searched in parallel over the items.
    const bool over_items = queries.size() <= Block::max_queries;
    parallel_chunks(
        exec_, queries.size(), block_size(queries.size()), [&](std::size_t begin, std::size_t end) {
          std::vector<OneFilter> filters;
          filters.reserve(end - begin);
          const auto answer_block = [&] {
            answer(queries.subspan(begin, end - begin), k, filters, over_items,
                   std::span(results).subspan(begin, end - begin));
          };
          if constexpr (ItemFilter<Filter>) {
            filters.resize(end - begin, OneFilter(filter));
            answer_block();
          } else {
            std::vector<std::remove_cvref_t<std::invoke_result_t<const Filter&, std::size_t>>> own;
            own.reserve(end - begin);
            for (std::size_t p = begin; p < end; ++p)
              filters.emplace_back(own.emplace_back(filter(p)));
            answer_block();
          }
        });
    return results;
  }

 private:
  using Isa = typename X::isa;
  using Items = detail::RankedItems<T>;
  using Block = detail::QueryBlock<T, Isa>;

  /// A query's filter, type-erased.
  struct OneFilter {
    detail::FilterView allows;
    std::optional<std::span<const Index>> listed;

    OneFilter() = default;
    template <ItemFilter Filter>
    explicit OneFilter(const Filter& filter) : listed(detail::listed_items(filter)) {
      if constexpr (!std::same_as<Filter, AllItems>) allows = detail::FilterView(filter);
    }
  };

  static const Scorer<T>& checked(const Scorer<T>& scorer) {
    detail::check_scorer(scorer);
    return scorer;
  }

  void check(std::span<const Query<T>> queries, std::size_t k) const {
    require_at_least_one("k", k);
    for (const Query<T>& query : queries) {
      require(query.row.size() == dim_, "query",
              "must have a row of " + std::to_string(dim_) +
                  " numbers, as users' output rows have, not " + std::to_string(query.row.size()));
    }
  }

  /// The number of queries per block. Blocks below the maximum give the threads equal work.
  static std::size_t block_size(std::size_t queries) noexcept {
    constexpr std::size_t tile = 6, least = 4 * tile, blocks = 8;
    if (queries <= Block::max_queries) return Block::max_queries;
    const std::size_t equal = (queries + blocks - 1) / blocks;
    return std::clamp((equal + tile - 1) / tile * tile, least, Block::max_queries);
  }

  void answer(std::span<const Query<T>> queries, std::size_t k, std::span<const OneFilter> filters,
              bool over_items, std::span<TopKResult<T>> results) const {
    const FlushDenormals flush_denormals;  // as in the loops of a ranking
    const std::size_t dim = items_->dim(), list_length = std::min(k, size());
    TableVector<T> rows(queries.size() * dim);
    std::vector<detail::FilterView> allows;
    std::vector<std::size_t> searched;  // positions of the queries that are not scored by a list
    for (std::size_t q = 0; q < queries.size(); ++q) {
      T* const row = rows.data() + searched.size() * dim;
      detail::write_scoring_row<Isa>(row, queries[q].row.data(), dim_, queries[q].factor, T{1},
                                     has_offset_, similarity_);
      if (filters[q].listed && is_short(*filters[q].listed)) {
        results[q] = score_listed(row, filters[q], list_length);
        continue;
      }
      searched.push_back(q);
      allows.push_back(filters[q].allows);
    }
    if (searched.empty() || size() == 0) return;
    std::vector<TopKResult<T>> found =
        detail::search<Isa>(exec_, *items_, Rows<const T>(rows.data(), searched.size(), dim),
                            allows, list_length, over_items);
    for (std::size_t r = 0; r < searched.size(); ++r) results[searched[r]] = std::move(found[r]);
  }

  /// Whether scoring the listed items takes less time than searching all items for them.
  [[nodiscard]] bool is_short(std::span<const Index> listed) const noexcept {
    return listed.size() <= size() / 8;
  }

  [[nodiscard]] TopKResult<T> score_listed(const T* query, const OneFilter& filter,
                                           std::size_t k) const {
    constexpr std::size_t group_size = 8;
    const std::size_t dim = items_->dim();
    TableVector<T> memory(group_size * dim);
    const T* rows[group_size];
    std::fill(std::begin(rows), std::end(rows), query);  // for a last group that is not full
    Index group[group_size];
    std::size_t count = 0;
    TopKResult<T> result;
    TopK<T> best(std::min(k, filter.listed->size()));
    const auto score_group = [&] {
      T scores[group_size];
      detail::dot_products<Isa>(scores, query, rows, dim);
      for (std::size_t j = 0; j < count; ++j) best.push(group[j], scores[j]);
      result.scored += count;
      count = 0;
    };
    for (const Index item : *filter.listed) {
      if (item >= size() || !filter.allows(item)) continue;
      rows[count] = items_->row(items_->position_of(item), memory.data() + count * dim);
      group[count++] = item;
      if (count == group_size) score_group();
    }
    score_group();
    result.items.assign(best.best().begin(), best.best().end());
    return result;
  }

  [[no_unique_address]] X exec_;
  std::size_t dim_;
  bool has_offset_;
  Similarity similarity_;
  std::shared_ptr<const Items> items_;
};

template <class T>
ItemIndex(const Scorer<T>&) -> ItemIndex<T>;
template <class T>
ItemIndex(const Scorer<T>&, ItemIndexOptions) -> ItemIndex<T>;
template <Execution X, class T>
ItemIndex(const X&, const Scorer<T>&) -> ItemIndex<T, X>;
template <Execution X, class T>
ItemIndex(const X&, const Scorer<T>&, ItemIndexOptions) -> ItemIndex<T, X>;
template <class Model>
ItemIndex(const Model&) -> ItemIndex<typename Model::scalar_type>;
template <class Model>
ItemIndex(const Model&, ItemIndexOptions) -> ItemIndex<typename Model::scalar_type>;
template <Execution X, class Model>
ItemIndex(const X&, const Model&) -> ItemIndex<typename Model::scalar_type, X>;
template <Execution X, class Model>
ItemIndex(const X&, const Model&, ItemIndexOptions) -> ItemIndex<typename Model::scalar_type, X>;

}  // namespace prism::inline PRISM_ISA
