// SPDX-License-Identifier: BSD-3-Clause
// One set of negatives for all pairs of a batch, whose scores are then a matrix product.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/sampler/in_batch.hpp"
#include "prism/sampler/popularity.hpp"
#include "prism/sampler/uniform.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// "Shared" and a policy's name.
template <class Base>
inline constexpr auto shared_name = [] {
  constexpr std::string_view prefix = "Shared";
  std::array<char, prefix.size() + Base::name.size()> name{};
  std::ranges::copy(Base::name, std::ranges::copy(prefix, name.begin()).out);
  return name;
}();

}  // namespace detail

/// As many negatives as the loss asks for per pair, drawn once for the whole batch by another
/// sampler, with repetitions.
/// @tparam Base  a sampler whose draws do not depend on the pair: UniformNegatives,
///     PopularityNegatives or InBatchNegatives, or one whose traits say so
template <class Base = UniformNegatives>
struct SharedNegatives {
  static_assert(check_sampler<Base>(),
                "SharedNegatives: argument 1 (Base) is not a sampler such as UniformNegatives; "
                "prism/policy/sampler.hpp lists the requirements");
  static_assert(
      sampler_traits<Base>().ignores_pairs && !detail::names_shared<Base>,
      "SharedNegatives: argument 1 (Base) must draw negatives that do not depend on the "
      "pair, and declare it: static constexpr SamplerTraits traits{.ignores_pairs = true}");
  static constexpr std::string_view name{detail::shared_name<Base>.data(),
                                         detail::shared_name<Base>.size()};

  struct State {
    [[no_unique_address]] sampler_state_t<Base> base;
    State(const SharedNegatives& sampler, const Interactions& train) : base(sampler.base, train) {}
  };

  [[no_unique_address]] Base base{};
  NegativeMask mask = NegativeMask::own_item;  ///< which negatives do not count for a pair

  static constexpr auto options = option_table(option<&SharedNegatives::mask>(
      "mask", domain::enumerators("none, own_item, seen_items", NegativeMask::seen_items)));

  [[nodiscard]] SharedNegativesInfo shared(const SampleRequest& request) const noexcept {
    return {request.negatives_per_pair, mask};
  }

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, const State& state,
                  std::span<Index> negatives) const {
    draw_negatives(exec, base, request, state.base, negatives);
  }

  void log_probability([[maybe_unused]] const State& state, [[maybe_unused]] const Batch& batch,
                       [[maybe_unused]] std::vector<double>& values) const {
    if constexpr (detail::names_log_probability<Base>) {
      base.log_probability(state.base, batch, values);
    }
  }
};

static_assert(SamplerPolicy<SharedNegatives<UniformNegatives>>);
static_assert(SamplerPolicy<SharedNegatives<PopularityNegatives>>);
static_assert(SamplerPolicy<SharedNegatives<InBatchNegatives>>);

}  // namespace prism::inline PRISM_ISA
