// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Ascending.
[[nodiscard]] inline std::vector<Index> distinct_items(std::span<const Interaction> pairs) {
  std::vector<Index> items(pairs.size());
  std::ranges::transform(pairs, items.begin(), &Interaction::item);
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  return items;
}

/// An item of training popularity d is in a batch of B of the E training pairs with probability
/// 1 - (1 - d / E)^B.
inline void set_in_batch_log_probability(const Batch& batch, std::vector<double>& values) {
  const auto all_pairs = static_cast<double>(batch.train.size());
  const auto pairs = static_cast<double>(batch.pairs());
  values.resize(batch.item_side.num_active);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Index item = batch.item_side.unique_rows[k];
    const double share = static_cast<double>(batch.train.item_degree()[item]) / all_pairs;
    values[k] = share < 1 ? std::log(-std::expm1(pairs * std::log1p(-share))) : 0;
  }
}

}  // namespace detail

/// Uniform over the distinct items of the batch's pairs, positives not excluded.
struct InBatchNegatives {
  static constexpr std::string_view name = "InBatchNegatives";
  static constexpr SamplerTraits traits{.ignores_pairs = true};

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    const std::vector<Index> distinct = detail::distinct_items(request.pairs);
    const TableVector<Index> list(distinct.begin(), distinct.end(), memory_of(exec));
    const std::span<const Index> items(list);
    const Random random = request.random.from(request.first);
    constexpr std::size_t grain = 4096;
    for_each_element(exec, negatives.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t q) {
      negatives[q] = items[random.uniform_int(q, static_cast<Index>(items.size()))];
    });
    synchronise(exec);  // they have read the list
  }

  void log_probability(const sampler_state_t<InBatchNegatives>& /*state*/, const Batch& batch,
                       std::vector<double>& values) const {
    detail::set_in_batch_log_probability(batch, values);
  }
};

static_assert(SamplerPolicy<InBatchNegatives>);

}  // namespace prism::inline PRISM_ISA
