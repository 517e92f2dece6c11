// SPDX-License-Identifier: BSD-3-Clause
// A sampler draws the negatives of a batch's pairs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/parameter.hpp"

namespace prism::inline PRISM_ISA {

/// What a sampler is given.
struct SampleRequest {
  std::span<const Interaction> pairs;
  std::size_t negatives_per_pair;
  const Interactions& train;
  /// The epoch's sequence of draws. Negative q of this batch is draw first + q, so that it depends
  /// on its place in the epoch alone.
  Random random;
  std::uint64_t first;
};

// struct MySampler {
//   static constexpr std::string_view name = "MySampler";
//   // Fills negatives, pairs x negatives_per_pair, row-major, with items.
//   void operator()(const SampleRequest&, std::span<Index> negatives) const;
// };
template <class S>
concept SamplerPolicy = std::copyable<S> &&
    requires(const S& sampler, const SampleRequest& request, std::span<Index> negatives) {
  { S::name } -> std::convertible_to<std::string_view>;
  {sampler(request, negatives)};
};

}  // namespace prism::inline PRISM_ISA
