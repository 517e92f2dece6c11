// SPDX-License-Identifier: BSD-3-Clause
// A sampler draws the negatives of a batch's pairs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/contract.hpp"

namespace prism::inline PRISM_ISA {

/// The properties that a sampler declares.
struct SamplerTraits {
  /// Whether draws do not depend on the pair that they are for, so that SharedNegatives can draw
  /// one list for all pairs.
  bool ignores_pairs = false;
};

/// The arguments of a sampler.
struct SampleRequest {
  std::span<const Interaction> pairs;  // in the execution's memory, as train's lists are
  std::size_t negatives_per_pair;      // that the loss asks for
  const Interactions& train;
  /// The epoch's random stream. Negative q of this batch is draw first + q: it depends only on its
  /// position in the epoch.
  Random random;
  std::uint64_t first;
};

/// One list of negatives for all pairs of a batch.
struct SharedNegativesInfo {
  std::size_t count;
  NegativeMask mask = NegativeMask::own_item;
};

namespace detail {

/// The State of a sampler that declares none.
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

/// Sampler::State, or an empty type if there is none.
template <class Sampler>
using sampler_state_t = typename detail::SamplerStateOf<Sampler>::type;

// struct MySampler {
//   static constexpr std::string_view name = "MySampler";
//   // Fills negatives, pairs x negatives_per_pair, row-major, with row indices of items. They are
//   // in the execution's memory, like everything in the request: fill them in loops of
//   // prism/core/parallel.hpp, or copy a host list there with
//   // copy_across(device_memory(memory_of(exec)), from, negatives). Host code reads
//   // train.on_host(), and a copy of the pairs, a HostView.
//   template <Execution X>
//   void operator()(const X& exec, const SampleRequest&, std::span<Index> negatives) const;
//
//   // Optional: the traits that differ from the defaults, SamplerTraits{}.
//   static constexpr SamplerTraits traits{.ignores_pairs = true};
//   // Optional: data computed once on the host, from train.on_host(). Data that operator() reads
//   // is in train.memory().
//   struct State { State(const MySampler&, const Interactions& train); };
//   // With a State, instead:
//   template <Execution X>
//   void operator()(const X& exec, const SampleRequest&, const State&,
//                   std::span<Index> negatives) const;
//   // Optional: the pairs of a batch share one list of negatives, of this length, which the
//   // operator then fills.
//   SharedNegativesInfo shared(const SampleRequest&) const;
//   // Optional, for losses that correct for it: sets values[k] to the logarithm, up to a constant,
//   // of the probability that row k of batch.item_side is a negative. Without it, or if it leaves
//   // `values` empty, all items count as equally likely. It runs on the host, with a batch that
//   // the host can read.
//   // If set, `values` has batch.item_side.num_active numbers. State: sampler_state_t<MySampler>
//   // in a sampler without one.
//   void log_probability(const State&, const Batch& batch, std::vector<double>& values) const;
//   // Optional: label(), see label.hpp; options, see option.hpp; check(), see options.hpp.
// };

namespace detail {

template <class S>
concept SamplerTraitsFit = !names_traits<S> || ConstantTraits<S, SamplerTraits>;
template <class S>
concept SamplerStateFits = !names_State<S> || requires { typename S::State; };
template <class S>
concept SamplerStateConstructible =
    std::is_constructible_v<sampler_state_t<S>, const S&, const Interactions&>;
template <class S, class X>
concept Draws = requires(const S& sampler, const X& exec, const SampleRequest& request,
                         std::span<Index> negatives) { sampler(exec, request, negatives); };
template <class S, class X>
concept DrawsWithState = requires(const S& sampler, const X& exec, const SampleRequest& request,
                                  const sampler_state_t<S>& state, std::span<Index> negatives) {
  sampler(exec, request, state, negatives);
};
template <class S, class X>
concept DrawsNegatives = Draws<S, X> || DrawsWithState<S, X>;

template <class S>
concept SharedFits = !names_shared<S> || requires(const S& sampler, const SampleRequest& request) {
  { sampler.shared(request) } -> std::convertible_to<std::optional<SharedNegativesInfo>>;
};
template <class S>
concept LogProbabilityFits =
    !names_log_probability<S> || requires(const S& sampler, const sampler_state_t<S>& state,
                                          const Batch& batch, std::vector<double>& values) {
      { sampler.log_probability(state, batch, values) } -> std::same_as<void>;
    };

}  // namespace detail

/// @tparam X  execution
template <class S, class X = Host<>>
concept SamplerPolicy =
    detail::AnyPolicy<S> && detail::SamplerStateFits<S> && detail::SamplerStateConstructible<S> &&
    detail::DrawsNegatives<S, X> && detail::SharedFits<S> && detail::LogProbabilityFits<S> &&
    detail::SamplerTraitsFit<S>;

#define PRISM_SAMPLER_OPERATOR                                                      \
  "template <Execution X> void operator()(const X& exec, const SampleRequest&, "    \
  "std::span<Index> negatives) const, or, with a State, operator()(const X& exec, " \
  "const SampleRequest&, const State&, std::span<Index> negatives) const"

/// Whether S is a sampler. If it is not, the first compiler error names the missing requirement:
/// `static_assert(check_sampler<MySampler>())`.
template <class S, Execution X = Host<>>
[[nodiscard]] consteval bool check_sampler() {
  using namespace detail;
  PRISM_POLICY_CONTRACT(S, "a sampler");
  static_assert(SamplerStateFits<S>, "a sampler's State, if it has one, must be: struct State");
  static_assert(SamplerStateConstructible<S>,
                "a sampler's State must be constructible from the sampler and the interactions: "
                "State(const MySampler&, const Interactions& train)");
  static_assert(DrawsNegatives<S, X> || !DrawsNegatives<S, Host<>>,
                "a sampler's operator() must accept every execution, but does not accept this "
                "one: " PRISM_SAMPLER_OPERATOR);
  static_assert(DrawsNegatives<S, X>, "a sampler must draw negatives: " PRISM_SAMPLER_OPERATOR);
  static_assert(SamplerTraitsFit<S>,
                "a sampler's traits must be a constant: static constexpr SamplerTraits "
                "traits{...}");
  static_assert(SharedFits<S>,
                "a sampler's shared, if it has one, must be: SharedNegativesInfo shared(const "
                "SampleRequest&) const");
  static_assert(LogProbabilityFits<S>,
                "a sampler's log_probability, if it has one, must be: void log_probability(const "
                "State&, const Batch& batch, std::vector<double>& values) const");
  return SamplerPolicy<S, X>;
}
#undef PRISM_SAMPLER_OPERATOR

/// The traits of a sampler; the defaults if it declares none.
template <class Sampler>
[[nodiscard]] consteval SamplerTraits sampler_traits() noexcept {
  if constexpr (detail::names_traits<Sampler>) {
    return Sampler::traits;
  } else {
    return {};
  }
}

/// The list of negatives that a batch's pairs share; none if each pair has its own.
template <class Sampler>
[[nodiscard]] std::optional<SharedNegativesInfo> shared_negatives(const Sampler& sampler,
                                                                  const SampleRequest& request) {
  if constexpr (detail::names_shared<Sampler>) {
    return sampler.shared(request);
  } else {
    return std::nullopt;
  }
}

/// Draws a batch's negatives.
/// @param negatives  pairs x negatives_per_pair, row-major, or the count of shared_negatives();
///     overwritten
template <Execution X, class Sampler>
void draw_negatives(const X& exec, const Sampler& sampler, const SampleRequest& request,
                    const sampler_state_t<Sampler>& state, std::span<Index> negatives) {
  static_assert(check_sampler<Sampler, X>(),
                "draw_negatives: argument 2 (sampler) is not a sampler such as UniformNegatives; "
                "prism/policy/sampler.hpp lists the requirements");
  if constexpr (detail::DrawsWithState<Sampler, X>) {
    sampler(exec, request, state, negatives);
  } else {
    sampler(exec, request, negatives);
  }
}

}  // namespace prism::inline PRISM_ISA
