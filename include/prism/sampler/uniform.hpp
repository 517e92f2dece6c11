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
    parallel_chunks(exec, negatives.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        negatives[q] = request.random.uniform_int(request.first + q, request.train.items());
      }
    });
  }
};

static_assert(SamplerPolicy<UniformNegatives>);

}  // namespace prism::inline PRISM_ISA
