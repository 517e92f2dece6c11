// SPDX-License-Identifier: BSD-3-Clause
// The learning rate and its schedule where FitOptions leaves them unset.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/row_magnitudes.hpp"
#include "prism/training/schedule.hpp"

namespace prism::inline PRISM_ISA::detail {

// If the initial magnitudes are small, training has to find them, with or without weight decay, and
// needs large steps first and small ones at the end. If they are large, PRISM or earlier training
// set them: a step raises a row's magnitude by its component orthogonal to the row, so small steps
// throughout preserve the magnitudes. If popularity gives the magnitudes of the ranking, only
// directions are learnt, and one rate does throughout. A loss of dot products raises small
// magnitudes by itself, and large first steps cost quality that later small ones do not recover.
// Measurements: docs/explanation/defaults.md. When changing a rule, change its name in
// default_rate_rule.

/// The length of the first steps from small magnitudes: 0.03 at 64 dimensions.
inline constexpr double first_length_from_small = 0.24;
/// Epochs of up to this many steps have that first length. In longer epochs it is divided by the
/// square of how many times longer they are: patience counts epochs, so a lower rate has the steps
/// it needs to find the magnitudes, and loses less of the directions.
inline constexpr double steps_of_short_epochs = 100;
/// The length of steps from small magnitudes that no ranking uses: 0.01 at 64 dimensions. It hardly
/// matters: rows grow in proportion to it, so that it cancels in the angle by which a step turns
/// them.
inline constexpr double length_for_directions = 0.08;
/// The length of the last steps from small magnitudes, about: 0.001 at 64 dimensions.
inline constexpr double last_length_from_small = 0.008;
/// The length of the first steps under a loss of dot products: 0.001 at 64 dimensions.
inline constexpr double first_length_under_dot_products = 0.008;
/// From large magnitudes, as a fraction of the magnitude: the angle, in radians, that a step turns
/// a row by. At 64 dimensions PRISM<1> gets about 0.002.
inline constexpr double length_from_large = 0.003;
/// The lower bound of that length, whatever PRISM's scale: 0.001 at 64 dimensions.
inline constexpr double least_length_from_large = 0.008;
/// Magnitudes above this multiple of Xavier's are large.
inline constexpr double large_magnitude = 1.5;

/// The length of the first steps from small magnitudes, for a number of steps in an epoch.
[[nodiscard]] inline double first_length_for(std::size_t steps_per_epoch) {
  const double share =
      steps_of_short_epochs / static_cast<double>(std::max<std::size_t>(1, steps_per_epoch));
  return std::max(last_length_from_small, first_length_from_small * std::min(1.0, share * share));
}

/// The schedule from small magnitudes: reductions by sqrt(10), as many as lead from the first
/// length closest to the last.
[[nodiscard]] inline PlateauSchedule schedule_from_small(double first_length) {
  const double reductions = 2 * std::log10(first_length / last_length_from_small);
  return {.factor = 0.31622776601683794,
          .reductions = static_cast<std::size_t>(std::lround(reductions))};
}
/// The schedule of losses of dot products, for small and large magnitudes. Its patience spans many
/// steps: on small data, BPR through MLP and LightGCN improves again after hundreds of steps
/// without an improvement.
inline const PlateauSchedule schedule_of_dot_products{
    .factor = 0.31622776601683794, .patience_steps = 1000, .reductions = 1};

/// Mean magnitude of a table's rows, each weighted by its number of interactions, and whether that
/// is large.
struct TableMagnitude {
  double mean;
  bool is_large;
};
template <class Isa, class T>
[[nodiscard]] TableMagnitude table_magnitude(Rows<const T> rows,
                                             std::span<const Index> popularity) {
  const std::vector<double> magnitudes = row_magnitudes<Isa>(rows);
  double sum = 0, count = 0;
  for (std::size_t r = 0; r < magnitudes.size(); ++r) {
    sum += magnitudes[r] * popularity[r];
    count += popularity[r];
  }
  const auto size = static_cast<double>(rows.size()), dim = static_cast<double>(rows.dim());
  const double xavier = std::sqrt(2 * dim / (size + dim));
  return {sum / count, sum / count > large_magnitude * xavier};
}

/// Whether the magnitudes that training gives to items' rows count neither in the loss nor in the
/// ranking.
template <class Options>
[[nodiscard]] bool learns_directions_alone(const Options& options) {
  const Ranking& ranking = options.ranking;
  return !prism::loss_traits(options.loss).dot_product_logits &&
         (ranking.chooses() ? ranking.exponent.value_or(0) : ranking.own_exponent()) == 0;
}

/// Sets a learning rate and a schedule if the options have none.
/// @throws ArgumentError  if the optimizer has no learning_rate_of_step, or a row's magnitude is
///     not finite
template <Execution X, class Model>
void set_default_rate(FitOptions& options, const X& exec, const Model& model, bool has_validation) {
  const bool no_schedule = !options.schedule;
  if (no_schedule) options.schedule = ConstantSchedule{};
  if (options.learning_rate) return;
  using Isa = typename decltype(host_of(exec))::isa;
  const auto tables = model.tables();
  const std::size_t dim = tables.users.dim();
  const auto users = table_magnitude<Isa>(tables.users, model.train().user_degree());
  const auto items = table_magnitude<Isa>(tables.items, model.train().item_degree());
  require(is_finite(users.mean) && is_finite(items.mean), "model",
          "must have rows of finite magnitude, because the default learning rate is computed from "
          "them");
  const bool is_large = users.is_large && items.is_large;
  const bool dot_products = prism::loss_traits(model.options().loss).dot_product_logits;
  const bool directions_alone = learns_directions_alone(model.options());
  const std::size_t pairs = model.train().size();
  double length = first_length_for(pairs / options.batch_size + (pairs % options.batch_size > 0));
  if (is_large) {
    length = std::max(least_length_from_large, length_from_large * (users.mean + items.mean) / 2);
  } else if (dot_products) {
    length = first_length_under_dot_products;
  } else if (directions_alone) {
    length = length_for_directions;
  }
  options.learning_rate = prism::learning_rate_of_step(model.options().optimizer, length, dim);
  require(*options.learning_rate > 0, "learning_rate",
          "must be given for the optimizer " + prism::label(model.options().optimizer) +
              ", whose step length depends on the gradient's; Adam, DenseAdam and "
              "PartialRowWiseAdam have a default");
  if (!no_schedule) return;
  // Without a validation set, nothing tells when to lower the learning rate.
  if (dot_products && has_validation) options.schedule = schedule_of_dot_products;
  if (dot_products || is_large || directions_alone) return;
  options.schedule =
      has_validation ? Schedule(schedule_from_small(length)) : Schedule(CosineSchedule{});
}

}  // namespace prism::inline PRISM_ISA::detail
