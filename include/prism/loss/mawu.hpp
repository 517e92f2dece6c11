// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/ops/fill.hpp"
#include "prism/ops/uniformity.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

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

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require_non_negative("gamma1", gamma1);
    require_non_negative("gamma2", gamma2);
    require_enumerator("pair_mean", pair_mean, PairMean::full_matrix);
  }

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
    Scratch& scratch = step.scratch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const Rows<double> angle = scratch.allocate<double>(batch.pairs(), 1);
    const Rows<double> d_angle = scratch.allocate<double>(batch.pairs(), 1);  // d angle / d cosine
    const auto [users, items] = unit_output.unit();
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      constexpr double limit = 1 - 1e-7;
      const double c = static_cast<double>(
          dot<typename X::isa>(users[batch.users[p]], items[batch.items[p]], users.dim()));
      const double clipped = std::clamp(c, -limit, limit);
      *angle[p] = std::acos(clipped);
      *d_angle[p] = c == clipped ? -1 / std::sqrt(1 - clipped * clipped) : 0;
    }

    const Rows<double> margin = scratch.allocate<double>(batch.pairs(), 1);
    const Rows<double> d_margin =
        scratch.allocate<double>(batch.pairs(), 1);  // d m / d (M_u + M_i)
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      const double sum =
          static_cast<double>(*rows(state.users)[batch.user_side.unique_rows[batch.users[p]]] +
                              *rows(state.items)[batch.item_side.unique_rows[batch.items[p]]]);
      *margin[p] = 1 - sigmoid(sum);
      *d_margin[p] = -sigmoid(sum) * sigmoid(-sum);
    }

    // The alignment replaces angle and margin by d loss / d angle and d loss / d m.
    const std::span<double> angles(angle.data(), batch.pairs());
    const std::span<double> margins(margin.data(), batch.pairs());
    const double alignment =
        broadcast ? broadcast_alignment(angles, margins) : paired_alignment(angles, margins);
    for (std::size_t p = 0; p < batch.pairs(); ++p) {
      const T margin_gradient = static_cast<T>(margins[p] * *d_margin[p]);
      *step.parameter_gradients[0][batch.users[p]] += margin_gradient;
      *step.parameter_gradients[1][batch.items[p]] += margin_gradient;
    }
    static_cast<void>(loss_over_cosines(step, unit_output, [&](std::size_t p, std::span<T> cosine) {
      cosine[0] = static_cast<T>(angles[p] * *d_angle[p]);
      return 0.0;
    }));

    const Embeddings<T> unit_gradient = allocate_unit_gradient(step);
    const double uniformity_sum =
        gamma1 * prism::uniformity<T>(step.exec, unit_output.users.unit, gamma1, pair_mean,
                                      unit_gradient.users, scratch) +
        gamma2 * prism::uniformity<T>(step.exec, unit_output.items.unit, gamma2, pair_mean,
                                      unit_gradient.items, scratch);
    accumulate_unit_gradient<T>(step.exec, unit_output, unit_gradient, step.gradient);
    return alignment + uniformity_sum;
  }

 private:
  /// -mean_p cos(clip(angle_p + margin_p)); replaces both arguments by derivatives.
  static double paired_alignment(std::span<double> angle, std::span<double> margin) {
    const double pair_weight = 1.0 / static_cast<double>(angle.size());
    double sum = 0;
    for (std::size_t p = 0; p < angle.size(); ++p) {
      const double shifted = std::min(angle[p] + margin[p], std::numbers::pi);
      const bool clipped = shifted < angle[p] + margin[p];
      sum -= std::cos(shifted);
      angle[p] = margin[p] = clipped ? 0 : pair_weight * std::sin(shifted);
    }
    return pair_weight * sum;
  }

  /// -mean_pq cos(clip(angle_q + margin_p)); replaces both arguments by derivatives. After sorting,
  /// the clipped sums are a suffix, and cos(a + m) = cos a cos m - sin a sin m needs only prefix
  /// sums: O(n log n) instead of O(n^2).
  static double broadcast_alignment(std::span<double> angle, std::span<double> margin) {
    const double n = static_cast<double>(angle.size());
    const PrefixSums margin_sums(margin), angle_sums(angle);
    double sum = 0;
    for (double& a : angle) {
      const auto [count, cosines, sines] = margin_sums.up_to(std::numbers::pi - a);
      sum += (n - count) - (std::cos(a) * cosines - std::sin(a) * sines);
      a = (std::sin(a) * cosines + std::cos(a) * sines) / (n * n);
    }
    for (double& m : margin) {
      const auto [count, cosines, sines] = angle_sums.up_to(std::numbers::pi - m);
      m = (std::sin(m) * cosines + std::cos(m) * sines) / (n * n);
    }
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
        sums_[k + 1] = {sums_[k].count + 1, sums_[k].cosines + std::cos(sorted_[k]),
                        sums_[k].sines + std::sin(sorted_[k])};
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
