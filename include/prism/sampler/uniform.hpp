// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

/// Uniform over all items, positives not excluded.
struct UniformNegatives {
  static constexpr std::string_view name = "UniformNegatives";
  static constexpr SamplerTraits traits{.ignores_pairs = true};

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    constexpr std::size_t grain = 4096;
    const Random random = request.random.from(request.first);
    const Index items = request.train.items();
    for_each_element(exec, negatives.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t q) {
      negatives[q] = random.uniform_int(q, items);
    });
  }
};

static_assert(SamplerPolicy<UniformNegatives>);

}  // namespace prism::inline PRISM_ISA
