// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/angles.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/fill.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/ordered_sums.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/uniformity.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// A pair's angle and its margin 1 - sigmoid(M_u + M_i), pairs x 1, and their derivatives.
struct AnglesAndMargins {
  Rows<double> angle;
  Rows<double> d_angle;  // with respect to the cosine
  Rows<double> margin;
  Rows<double> d_margin;  // with respect to M_u + M_i
};

inline constexpr std::size_t margin_grain = 256;

/// @param user_margins, item_margins  M
template <class T, Execution X>
[[nodiscard]] AnglesAndMargins angles_and_margins(const LossStep<T, X>& step,
                                                  const UnitOutput<T>& unit_output,
                                                  Rows<const T> user_margins,
                                                  Rows<const T> item_margins) {
  const Batch& batch = step.batch;
  const auto allocate = [&] { return step.scratch.template allocate<double>(batch.pairs(), 1); };
  const AnglesAndMargins to{allocate(), allocate(), allocate(), allocate()};
  const std::span<const Index> users = batch.users, items = batch.items;
  const std::span<const Index> user_rows = batch.user_side.unique_rows;
  const std::span<const Index> item_rows = batch.item_side.unique_rows;
  const Rows<T> user_unit = unit_output.users.unit, item_unit = unit_output.items.unit;
  for_each_row(step.exec, batch.pairs(), margin_grain, [=] PRISM_HOST_DEVICE(std::size_t p) {
    using Isa = typename X::isa;
    const T cosine = dot<Isa>(user_unit[users[p]], item_unit[items[p]], user_unit.dim());
    Lanes<Isa>::once([=] { *to.angle[p] = static_cast<double>(cosine); });
  });
  for_each_element(step.exec, batch.pairs(), margin_grain, [=] PRISM_HOST_DEVICE(std::size_t p) {
    constexpr double limit = 1 - 1e-7;
    const double cosine = *to.angle[p];
    const double clipped = std::clamp(cosine, -limit, limit);
    *to.angle[p] = elementary::acos(clipped);
    *to.d_angle[p] = cosine == clipped ? -1 / std::sqrt(1 - clipped * clipped) : 0;
    const double sum = static_cast<double>(*user_margins[user_rows[users[p]]] +
                                           *item_margins[item_rows[items[p]]]);
    *to.margin[p] = 1 - sigmoid(sum);
    *to.d_margin[p] = -sigmoid(sum) * sigmoid(-sum);
  });
  return to;
}

/// -mean_p cos(clip(angle_p + margin_p)); replaces angles and margins by its derivatives.
template <Execution X>
[[nodiscard]] double paired_alignment(const X& exec, const AnglesAndMargins& pairs,
                                      Scratch& scratch) {
  const std::size_t n = pairs.angle.size();
  const Rows<double> angle = pairs.angle, margin = pairs.margin;
  const Rows<double> cosine = scratch.allocate<double>(n, 1);
  const double pair_weight = 1.0 / static_cast<double>(n);
  for_each_element(exec, n, margin_grain, [=] PRISM_HOST_DEVICE(std::size_t p) {
    constexpr double straight = std::numbers::pi;
    const double sum = *angle[p] + *margin[p];
    const bool clipped = sum > straight;
    const double shifted = clipped ? straight : sum;
    *cosine[p] = elementary::cos(shifted);
    *angle[p] = *margin[p] = clipped ? 0 : pair_weight * elementary::sin(shifted);
  });
  return -pair_weight * sum_over_elements(exec, n, [=] PRISM_HOST_DEVICE(std::size_t p) -> double {
    return *cosine[p];
  });
}

}  // namespace detail

/// Margin-aware alignment and weighted uniformity:
///   -mean cos(clip(angle(u, i) + m, 0, pi)) + gamma1 * U'(users) + gamma2 * U'(items),
/// m = 1 - sigmoid(M_u + M_i), with a trainable M in [0, 1] for every user and item. U' is
/// DirectAU's uniformity, with the mean over pair_mean's pairs. Park et al.: "Toward a better
/// understanding of loss functions for collaborative filtering", CIKM 2023.
struct MAWU {
  static constexpr std::string_view name = "MAWU";

  double gamma1 = 0.2;  ///< weight of the users' uniformity, at least 0
  double gamma2 = 0.2;  ///< weight of the items' uniformity, at least 0
  /// The default is the mean for which the published gamma1 and gamma2 were tuned.
  PairMean pair_mean = PairMean::full_matrix;
  /// As in the published code: the alignment is the mean over all combinations of a pair's angle
  /// and a pair's margin.
  bool broadcast = false;

  static constexpr auto options = option_table(
      option<&MAWU::gamma1>("gamma1", domain::non_negative),
      option<&MAWU::gamma2>("gamma2", domain::non_negative),
      option<&MAWU::pair_mean>("pair_mean",
                               domain::enumerators("strict, full_matrix", PairMean::full_matrix)),
      option<&MAWU::broadcast>("broadcast"));

  /// M of users and items, rows x 1 each; initially Xavier uniform.
  template <class T>
  struct State {
    Matrix<T> users;
    Matrix<T> items;

    State(const MAWU&, const StateContext& context)
        : users(make_table<T>(context.train.users(), 1, context.memory)),
          items(make_table<T>(context.train.items(), 1, context.memory)) {
      const Random random = context.random();
      fill_uniform(serial, rows(users), xavier_bound(users.shape(0), 1), random);
      fill_uniform(serial, rows(items), xavier_bound(items.shape(0), 1),
                   random.from(context.train.users()));
    }
    State(const State& other, std::pmr::memory_resource* memory)
        : users(copy_of(other.users, memory)), items(copy_of(other.items, memory)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(users), ParameterRows::users, 0, 1});
      visit(ParameterView<T>{rows(items), ParameterRows::items, 0, 1});
    }
  };

  static constexpr LossTraits traits{.overwrites_gradient = true};

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const detail::AnglesAndMargins pairs =
        detail::angles_and_margins<T>(step, unit_output, rows(state.users), rows(state.items));
    const double alignment = broadcast ? broadcast_alignment(step.exec, pairs)
                                       : detail::paired_alignment(step.exec, pairs, step.scratch);
    // Angle and margin are now d loss / d angle and d loss / d margin.
    const auto margin_gradient = [=] PRISM_HOST_DEVICE(std::size_t p) -> T {
      return static_cast<T>(*pairs.margin[p] * *pairs.d_margin[p]);
    };
    // The margins' gradients are zero on entry.
    sum_over_occurrences<T>(step.exec, batch.user_side, margin_gradient,
                            step.parameter_gradients[0]);
    sum_over_occurrences<T>(step.exec, batch.item_side, margin_gradient,
                            step.parameter_gradients[1]);
    const auto per_pair = [=] PRISM_HOST_DEVICE(std::size_t p,
                                                PairScores<T, typename X::isa> cosine) -> double {
      cosine.set_positive(static_cast<T>(*pairs.angle[p] * *pairs.d_angle[p]));
      return 0.0;
    };
    static_cast<void>(loss_over_cosines(step, unit_output, per_pair));

    const Embeddings<T> unit_gradient = allocate_unit_gradient(step);
    const double uniformity_sum =
        gamma1 * prism::uniformity<T>(step.exec, unit_output.users.unit, gamma1, pair_mean,
                                      unit_gradient.users, step.scratch) +
        gamma2 * prism::uniformity<T>(step.exec, unit_output.items.unit, gamma2, pair_mean,
                                      unit_gradient.items, step.scratch);
    accumulate_unit_gradient<T>(step.exec, unit_output, unit_gradient, step.gradient);
    return alignment + uniformity_sum;
  }

 private:
  /// -mean_pq cos(clip(angle_q + margin_p)); replaces angles and margins by its derivatives. After
  /// sorting, the clipped sums are a suffix, and cos(a + m) = cos a cos m - sin a sin m needs only
  /// prefix sums: O(n log n) instead of O(n^2).
  template <Execution X>
  static double broadcast_alignment(const X& exec, const detail::AnglesAndMargins& pairs) {
    // Sorting runs on the host.
    std::vector<double> angle =
        numbers_on_host(exec, std::span<const double>(pairs.angle.data(), pairs.angle.size()));
    std::vector<double> margin =
        numbers_on_host(exec, std::span<const double>(pairs.margin.data(), pairs.margin.size()));
    const double n = static_cast<double>(angle.size());
    const auto all_finite = [](const std::vector<double>& values) {
      return std::ranges::all_of(values, [](double value) { return detail::is_finite(value); });
    };
    if (!all_finite(angle) || !all_finite(margin)) {  // training has diverged; NaN has no order
      return std::numeric_limits<double>::quiet_NaN();
    }
    const PrefixSums margin_sums(margin), angle_sums(angle);
    double sum = 0;
    for (double& a : angle) {
      const auto [count, cosines, sines] = margin_sums.up_to(std::numbers::pi - a);
      const SineAndCosine sine_and_cosine(Pack<double, isa::scalar>{a});
      const double sine = sine_and_cosine.sine.value, cosine = sine_and_cosine.cosine.value;
      sum += (n - count) - (cosine * cosines - sine * sines);
      a = (sine * cosines + cosine * sines) / (n * n);
    }
    for (double& m : margin) {
      const auto [count, cosines, sines] = angle_sums.up_to(std::numbers::pi - m);
      const SineAndCosine sine_and_cosine(Pack<double, isa::scalar>{m});
      m = (sine_and_cosine.sine.value * cosines + sine_and_cosine.cosine.value * sines) / (n * n);
    }
    DeviceMemory* const device = device_memory(memory_of(exec));
    copy_across(device, std::span<const double>(angle),
                std::span(pairs.angle.data(), pairs.angle.size()));
    copy_across(device, std::span<const double>(margin),
                std::span(pairs.margin.data(), pairs.margin.size()));
    return sum / (n * n);
  }

  /// Sums of cosines and sines over all values up to a bound, for any bound.
  class PrefixSums {
   public:
    struct Sums {
      double count = 0, cosines = 0, sines = 0;
    };

    explicit PrefixSums(std::span<const double> values)
        : sorted_(values.begin(), values.end()), sums_(values.size() + 1) {
      std::ranges::sort(sorted_);
      for (std::size_t k = 0; k < sorted_.size(); ++k) {
        const SineAndCosine sine_and_cosine(Pack<double, isa::scalar>{sorted_[k]});
        sums_[k + 1] = {sums_[k].count + 1, sums_[k].cosines + sine_and_cosine.cosine.value,
                        sums_[k].sines + sine_and_cosine.sine.value};
      }
    }

    [[nodiscard]] const Sums& up_to(double bound) const {
      const auto end = std::ranges::upper_bound(sorted_, bound);
      return sums_[static_cast<std::size_t>(end - sorted_.begin())];
    }

   private:
    std::vector<double> sorted_;
    std::vector<Sums> sums_;
  };
};

static_assert(LossPolicy<MAWU>);

}  // namespace prism::inline PRISM_ISA
