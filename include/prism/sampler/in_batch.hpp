// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/scratch.hpp"
#include "prism/core/thread_memory.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/ops/scan.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The distinct items of the batch's pairs, ascending. Found on the host, wherever the pairs are.
[[nodiscard]] inline std::vector<Index> distinct_items(const SampleRequest& request) {
  std::vector<Interaction> pairs(request.pairs.size());
  copy_across(device_memory(request.train.memory()), request.pairs, std::span(pairs));
  std::vector<Index> items(pairs.size());
  std::ranges::transform(pairs, items.begin(), &Interaction::item);
  std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  return items;
}

/// The distinct items of the batch's pairs, found on a device: `*count` items from `items` on,
/// ascending.
struct DeviceItems {
  const Index* items;
  const Index* count;  // for the device to read, or the host after synchronise()
};

/// @return valid until the calling thread's next call
template <DeviceExecution X>
[[nodiscard]] DeviceItems distinct_items(const X& exec, const SampleRequest& request) {
  struct InBatch;
  struct Rank;
  struct Distinct;
  const std::span<const Interaction> pairs = request.pairs;
  const std::size_t items = request.train.items();
  const std::span<Index> in_batch = thread_memory<InBatch>(exec, items + 1),
                         rank = thread_memory<Rank>(exec, items + 1),
                         distinct = thread_memory<Distinct>(exec, pairs.size());
  fill_zeros(exec, in_batch.data(), in_batch.size());
  // Several lanes may set the same element, but all set it to 1.
  for_each_element(exec, pairs.size(),
                   [=] PRISM_HOST_DEVICE(std::size_t p) { in_batch[pairs[p].item] = 1; });
  exclusive_scan(exec, in_batch, rank);
  for_each_element(exec, items, [=] PRISM_HOST_DEVICE(std::size_t item) {
    if (in_batch[item] != 0) distinct[rank[item]] = static_cast<Index>(item);
  });
  return {distinct.data(), &rank[items]};
}

/// Draws negatives from the distinct items of the batch's pairs, on the host.
template <Execution X>
void draw_in_batch(const X& exec, const SampleRequest& request, std::span<Index> negatives) {
  const std::vector<Index> items = distinct_items(request);
  const Random random = request.random.from(request.first);
  constexpr std::size_t grain = 4096;
  for_each_element(exec, negatives.size(), grain, [&](std::size_t q) {
    negatives[q] = items[random.uniform_int(q, static_cast<Index>(items.size()))];
  });
}

/// Draws negatives from the distinct items of the batch's pairs, on a device.
template <DeviceExecution X>
void draw_in_batch(const X& exec, const SampleRequest& request, std::span<Index> negatives) {
  const DeviceItems distinct = distinct_items(exec, request);
  const Random random = request.random.from(request.first);
  for_each_element(exec, negatives.size(), [=] PRISM_HOST_DEVICE(std::size_t q) {
    negatives[q] = distinct.items[random.uniform_int(q, *distinct.count)];
  });
}

/// Lists the distinct items of the batch's pairs, ascending, on the host.
/// @param negatives  as many as there are distinct items
template <Execution X>
void list_in_batch(const X& /*exec*/, const SampleRequest& request, std::span<Index> negatives) {
  std::ranges::copy(distinct_items(request), negatives.begin());
}

/// Lists the distinct items of the batch's pairs, ascending, on a device.
template <DeviceExecution X>
void list_in_batch(const X& exec, const SampleRequest& request, std::span<Index> negatives) {
  const DeviceItems distinct = distinct_items(exec, request);
  for_each_element(exec, negatives.size(),
                   [=] PRISM_HOST_DEVICE(std::size_t j) { negatives[j] = distinct.items[j]; });
}

/// An item of training popularity d is in a batch of B of the E training pairs, drawn without
/// replacement, with probability P_d = 1 - C(E - d, B) / C(E, B). By recursion P_0 = 0 and
/// P_(d + 1) = P_d + (1 - P_d) B / (E - d), which does not cancel where P_d is small.
inline void set_in_batch_log_probability(const Batch& batch, std::vector<double>& values) {
  const auto all_pairs = static_cast<double>(batch.train.size());
  const auto pairs = static_cast<double>(batch.pairs());
  values.resize(batch.item_side.num_active);
  std::vector<double> probability{0};
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Index popularity = batch.train.item_degree()[batch.item_side.unique_rows[k]];
    while (probability.size() <= popularity) {
      const double p = probability.back();
      const double others = all_pairs - static_cast<double>(probability.size() - 1);
      probability.push_back(pairs < others ? p + (1 - p) * (pairs / others) : 1);
    }
    values[k] = elementary::log(probability[popularity]);
  }
}

}  // namespace detail

/// Uniform over the distinct items of the batch's pairs, positives not excluded.
struct InBatchNegatives {
  static constexpr std::string_view name = "InBatchNegatives";
  static constexpr SamplerTraits traits{.ignores_pairs = true};

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    detail::draw_in_batch(exec, request, negatives);
  }

  void log_probability(const sampler_state_t<InBatchNegatives>& /*state*/, const Batch& batch,
                       std::vector<double>& values) const {
    detail::set_in_batch_log_probability(batch, values);
  }
};

static_assert(SamplerPolicy<InBatchNegatives>);

}  // namespace prism::inline PRISM_ISA
