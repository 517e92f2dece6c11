// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/sampler/in_batch.hpp"

namespace prism::inline PRISM_ISA {

/// Every distinct item of the batch's pairs, as a negative of all of them: the in-batch softmax.
/// Ignores the number of negatives per pair that the loss asks for. Yi et al.:
/// "Sampling-bias-corrected neural modeling for large corpus item recommendations", RecSys 2019.
struct AllInBatchNegatives {
  static constexpr std::string_view name = "AllInBatchNegatives";

  NegativeMask mask = NegativeMask::own_item;

  static constexpr auto options = option_table(option<&AllInBatchNegatives::mask>(
      "mask", domain::enumerators("none, own_item, seen_items", NegativeMask::seen_items)));

  [[nodiscard]] SharedNegativesInfo shared(const SampleRequest& request) const {
    return {detail::distinct_items(request).size(), mask};
  }

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    detail::list_in_batch(exec, request, negatives);
  }

  void log_probability(const sampler_state_t<AllInBatchNegatives>& /*state*/, const Batch& batch,
                       std::vector<double>& values) const {
    detail::set_in_batch_log_probability(batch, values);
  }
};

static_assert(SamplerPolicy<AllInBatchNegatives>);

}  // namespace prism::inline PRISM_ISA
