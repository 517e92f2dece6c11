// SPDX-License-Identifier: BSD-3-Clause
// Searches the items of an index for one block of queries, optionally in parallel over the items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/evaluate/query_block.hpp"
#include "prism/evaluate/ranked_items.hpp"
#include "prism/kernel/top_k.hpp"
#include "prism/serve/query.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The number of panels that a thread searches at a time, for a number of queries.
template <class T>
[[nodiscard]] std::size_t segment_panels(const RankedItems<T>& items,
                                         std::size_t queries) noexcept {
  // Starting a thread takes some microseconds, in which a core reads a fifth of this.
  constexpr std::size_t least_bytes = std::size_t{1} << 20;
  // The first segment's threshold has to prune the others, each of which starts from it.
  constexpr std::size_t least_panels = 64, most_segments = 64;
  const std::size_t panel_bytes =
      items.dim() * RankedItems<T>::panel_width * (items.quantised() != nullptr ? 1 : sizeof(T));
  return std::max({least_panels, least_bytes / std::max<std::size_t>(1, panel_bytes * queries),
                   items.panels() / most_segments});
}

template <class T, class Isa>
void add_counts(const QueryBlock<T, Isa>& block, std::span<TopKResult<T>> results) {
  for (std::size_t r = 0; r < results.size(); ++r) {
    results[r].scored += block.scored(r);
    results[r].bound = std::max(results[r].bound, block.bound(r));
  }
}

/// The k best items of each query.
/// @param rows        scoring rows, at most QueryBlock::max_queries x dim
/// @param over_items  in parallel over the items. The segments depend on sizes alone, so that all
///                    numbers of the results are deterministic.
template <class Isa, Execution X, class T>
[[nodiscard]] std::vector<TopKResult<T>> search(const X& exec, const RankedItems<T>& items,
                                                Rows<const T> rows,
                                                std::span<const FilterView> filters, std::size_t k,
                                                bool over_items) {
  using Block = QueryBlock<T, Isa>;
  std::vector<TopKResult<T>> results(rows.size());
  Block first(items, rows, filters, k);
  const std::size_t segment = segment_panels(items, rows.size());
  const std::size_t lead = over_items ? std::min(segment, items.panels()) : items.panels();
  first.rank(0, lead);
  const std::size_t end = first.needed_panels(lead);
  const std::size_t segments = (end - lead + segment - 1) / segment;
  if (segments <= 1) {
    first.rank(lead, end);
    add_counts(first, std::span(results));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      results[r].items.assign(first.best(r).begin(), first.best(r).end());
    }
    return results;
  }
  std::vector<T> floors(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) floors[r] = first.threshold(r);
  std::vector<std::unique_ptr<Block>> blocks(segments);
  parallel_tasks(exec, segments, [&](std::size_t j) {
    const std::size_t begin = lead + j * segment;
    blocks[j] = std::make_unique<Block>(items, rows, filters, k, floors);
    blocks[j]->rank(begin, std::min(begin + segment, end));
  });
  add_counts(first, std::span(results));
  for (const auto& block : blocks) add_counts(*block, std::span(results));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    TopK<T> best(k);
    for (const auto& [item, score] : first.best(r)) best.push(item, score);
    for (const auto& block : blocks) {
      for (const auto& [item, score] : block->best(r)) best.push(item, score);
    }
    results[r].items.assign(best.best().begin(), best.best().end());
  }
  return results;
}

}  // namespace prism::inline PRISM_ISA::detail
