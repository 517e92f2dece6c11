// SPDX-License-Identifier: BSD-3-Clause
// A sampler draws the negatives of a batch's pairs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
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

namespace detail {

/// The State of a sampler that has none.
struct NoSamplerState {
  template <class Sampler>
  NoSamplerState(const Sampler&, const Interactions&) noexcept {}
};

template <class Sampler>
struct SamplerStateOf {
  using type = NoSamplerState;
};
template <class Sampler>
requires requires { typename Sampler::State; }
struct SamplerStateOf<Sampler> {
  using type = typename Sampler::State;
};

}  // namespace detail

/// Sampler::State, or an empty type where it has none.
template <class Sampler>
using sampler_state_t = typename detail::SamplerStateOf<Sampler>::type;

/// Draws a batch's negatives.
template <Execution X, class Sampler>
void draw_negatives(const X& exec, const Sampler& sampler, const SampleRequest& request,
                    const sampler_state_t<Sampler>& state, std::span<Index> negatives) {
  if constexpr (requires { sampler(exec, request, state, negatives); }) {
    sampler(exec, request, state, negatives);
  } else {
    sampler(exec, request, negatives);
  }
}

// struct MySampler {
//   static constexpr std::string_view name = "MySampler";
//   // Fills negatives, pairs x negatives_per_pair, row-major, with items.
//   template <Execution X>
//   void operator()(const X& exec, const SampleRequest&, std::span<Index> negatives) const;
//
//   // Optional: what it works out once from the training interactions.
//   struct State { State(const MySampler&, const Interactions& train); };
//   // Instead, where there is a State:
//   template <Execution X>
//   void operator()(const X& exec, const SampleRequest&, const State&,
//                   std::span<Index> negatives) const;
// };
template <class S>
concept SamplerPolicy = std::copyable<S> && std::is_constructible_v < sampler_state_t<S>,
const S&,
    const Interactions& > &&requires(const S& sampler, const SampleRequest& request,
                                     const sampler_state_t<S>& state, std::span<Index> negatives) {
  { S::name } -> std::convertible_to<std::string_view>;
  requires requires { {sampler(par, request, negatives)}; } || requires {
    {sampler(par, request, state, negatives)};
  };
};

}  // namespace prism::inline PRISM_ISA
