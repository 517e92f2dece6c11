// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/power.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/sampler.hpp"

namespace prism::inline PRISM_ISA {

/// By popularity: an item of training popularity d is drawn with probability proportional to
/// d^power, positives not excluded. A power of 0 is uniform over the items with a training
/// interaction.
struct PopularityNegatives {
  static constexpr std::string_view name = "PopularityNegatives";
  static constexpr SamplerTraits traits{.ignores_pairs = true};

  double power = 0.75;  ///< finite

  static constexpr auto options =
      option_table(option<&PopularityNegatives::power>("power", domain::any_number));

  /// An alias table, for a draw in constant time. Walker: "An efficient method for generating
  /// discrete random variables with general distributions", ACM TOMS 1977.
  class State {
   public:
    /// @throws ArgumentError  if the power is not finite, or train is empty
    State(const PopularityNegatives& sampler, const Interactions& train) {
      prism::check_options(sampler);
      require(!train.empty(), "train", "has no interactions to learn popularity from");
      // Relative to the most probable item, so that no power overflows or underflows for all items.
      double reference_degree = 0;
      const std::span<const Index> popularity = train.on_host().item_degree();
      for (const Index degree : popularity) {
        const auto d = static_cast<double>(degree);
        if (d > 0 && (reference_degree == 0 || (d > reference_degree) == (sampler.power >= 0))) {
          reference_degree = d;
        }
      }
      double total = 0;
      std::vector<double> weight(train.items());
      for (std::size_t i = 0; i < weight.size(); ++i) {
        const auto d = static_cast<double>(popularity[i]);
        weight[i] = d == 0 ? 0 : elementary::pow(d / reference_degree, sampler.power);
        total += weight[i];
      }
      // Each cell has probability 1 / items: a small item's own, plus part of that of a large item,
      // its alias.
      std::vector<double> acceptance(weight.size());
      std::vector<Index> alias(weight.size()), small, large;
      for (std::size_t i = 0; i < weight.size(); ++i) {
        acceptance[i] = weight[i] / total * static_cast<double>(weight.size());
        alias[i] = static_cast<Index>(i);
        (acceptance[i] < 1 ? small : large).push_back(static_cast<Index>(i));
      }
      while (!small.empty() && !large.empty()) {
        const Index small_item = small.back(), large_item = large.back();
        small.pop_back();
        alias[small_item] = large_item;
        acceptance[large_item] -= 1 - acceptance[small_item];
        if (acceptance[large_item] < 1) {
          large.pop_back();
          small.push_back(large_item);
        }
      }
      // The acceptances of those that remain add up to their number, up to rounding: each is about
      // 1, and none is an item of probability 0.
      for (const Index i : small) acceptance[i] = 1;
      acceptance_ = TableVector<double>(std::span<const double>(acceptance), train.memory());
      alias_ = TableVector<Index>(std::span<const Index>(alias), train.memory());
    }

    /// A view of the table, for a device.
    struct View {
      std::span<const double> acceptance;
      std::span<const Index> alias;

      [[nodiscard]] constexpr Index draw(const Random& random,
                                         std::uint64_t position) const noexcept {
        const double scaled = random.uniform(position) * static_cast<double>(acceptance.size());
        const auto i = static_cast<std::size_t>(scaled);
        return scaled - static_cast<double>(i) < acceptance[i] ? static_cast<Index>(i) : alias[i];
      }
    };
    [[nodiscard]] View view() const noexcept { return {acceptance_, alias_}; }

   private:
    TableVector<double> acceptance_;
    TableVector<Index> alias_;
  };

  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, const State& state,
                  std::span<Index> negatives) const {
    constexpr std::size_t grain = 4096;
    const auto table = state.view();
    const Random random = request.random.from(request.first);
    for_each_element(exec, negatives.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t q) {
      negatives[q] = table.draw(random, q);
    });
  }

  void log_probability(const State& /*state*/, const Batch& batch,
                       std::vector<double>& values) const {
    values.resize(batch.item_side.num_active);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Index degree = batch.train.item_degree()[batch.item_side.unique_rows[k]];
      values[k] = power * elementary::log(static_cast<double>(degree));
    }
  }
};

static_assert(SamplerPolicy<PopularityNegatives>);

}  // namespace prism::inline PRISM_ISA
