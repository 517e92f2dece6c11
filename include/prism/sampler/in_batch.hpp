// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

/// Uniform over the distinct items of the batch's pairs, positives not excluded.
struct InBatchNegatives {
  static constexpr std::string_view name = "InBatchNegatives";

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    std::vector<Index> items(request.pairs.size());
    std::ranges::transform(request.pairs, items.begin(), &Interaction::item);
    std::ranges::sort(items);
    items.erase(std::ranges::unique(items).begin(), items.end());
    const auto count = static_cast<Index>(items.size());
    constexpr std::size_t grain = 4096;
    parallel_chunks(exec, negatives.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        negatives[q] = items[request.random.uniform_int(request.first + q, count)];
      }
    });
  }
};

static_assert(SamplerPolicy<InBatchNegatives>);

}  // namespace prism::inline PRISM_ISA
