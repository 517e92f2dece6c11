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
#include "prism/training/fit_options.hpp"
#include "prism/training/row_lengths.hpp"
#include "prism/training/schedule.hpp"

namespace prism::inline PRISM_ISA::detail {

// If rows start short, training has to find their magnitudes, with or without weight decay, and
// needs large steps first and small ones at the end. If they start long, their magnitudes were set
// by PRISM or by earlier training: a step lengthens a row by its component orthogonal to the row,
// so small steps throughout preserve the magnitudes. A loss of dot products gives short rows their
// length by itself, and large first steps cost quality that later small ones do not recover.
// Measurements: docs/defaults.md. When changing a rule, change its name in default_rate_rule.

/// The length of the first steps of rows that start short: 0.03 at 64 dimensions.
inline constexpr double first_step_of_short_rows = 0.24;
/// Epochs of up to this many steps have that first step. In longer ones it is shorter in
/// proportion: patience counts epochs, so a lower rate has the steps it needs to find the
/// magnitudes.
inline constexpr double steps_of_short_epochs = 100;
/// The length of the last steps of rows that start short, about: 0.001 at 64 dimensions.
inline constexpr double last_step_of_short_rows = 0.008;
/// The length of the first steps under a loss of dot products: 0.001 at 64 dimensions.
inline constexpr double first_step_under_dot_products = 0.008;
/// For rows that start long, as a fraction of their length: the angle, in radians, that a step
/// turns them by. At 64 dimensions PRISM<1> gets about 0.002.
inline constexpr double step_of_long_rows = 0.003;
/// The lower bound of that step, whatever PRISM's scale: 0.001 at 64 dimensions.
inline constexpr double least_step = 0.008;
/// Rows above this multiple of the length of Xavier's are long.
inline constexpr double long_rows = 1.5;

/// The length of the first steps of rows that start short, in epochs of so many steps.
[[nodiscard]] inline double first_step_in_epochs_of(std::size_t steps) {
  const double share = steps_of_short_epochs / static_cast<double>(std::max<std::size_t>(1, steps));
  return std::max(last_step_of_short_rows, first_step_of_short_rows * std::min(1.0, share));
}

/// The schedule of rows that start short: reductions by sqrt(10), as many as lead from the first
/// step closest to the last.
[[nodiscard]] inline PlateauSchedule schedule_of_short_rows(double first_step) {
  const double reductions = 2 * std::log10(first_step / last_step_of_short_rows);
  return {.factor = 0.31622776601683794,
          .reductions = static_cast<std::size_t>(std::lround(reductions))};
}
/// The schedule of losses of dot products, for short and long rows. Its patience spans many steps:
/// on small data, BPR through MLP and LightGCN improves again after hundreds of steps without an
/// improvement.
inline const PlateauSchedule schedule_of_dot_products{
    .factor = 0.31622776601683794, .patience_steps = 1000, .reductions = 1};

/// Mean length of a table's rows, each weighted by its number of interactions, and whether that is
/// long.
struct TableLength {
  double mean;
  bool is_long;
};
template <class Isa, class T>
[[nodiscard]] TableLength table_length(Rows<const T> rows, std::span<const Index> popularity) {
  const std::vector<double> lengths = row_lengths<Isa>(rows);
  double sum = 0, count = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    sum += lengths[r] * popularity[r];
    count += popularity[r];
  }
  const auto size = static_cast<double>(rows.size()), dim = static_cast<double>(rows.dim());
  const double xavier = std::sqrt(2 * dim / (size + dim));
  return {sum / count, sum / count > long_rows * xavier};
}

/// Sets a learning rate and a schedule if the options have none.
/// @throws ArgumentError  if the optimizer has no learning_rate_of_step, or a row's length is not
///     finite
template <Execution X, class Model>
void set_default_rate(FitOptions& options, const X& exec, const Model& model, bool has_validation) {
  const bool no_schedule = !options.schedule;
  if (no_schedule) options.schedule = ConstantSchedule{};
  if (options.learning_rate) return;
  using Isa = typename decltype(host_of(exec))::isa;
  const auto tables = model.tables();
  const std::size_t dim = tables.users.dim();
  const auto users = table_length<Isa>(tables.users, model.train().user_degree());
  const auto items = table_length<Isa>(tables.items, model.train().item_degree());
  require(
      is_finite(users.mean) && is_finite(items.mean), "model",
      "must have rows of finite length, because the default learning rate is computed from them");
  const bool is_long = users.is_long && items.is_long;
  const bool dot_products = loss_traits(model.options().loss).dot_product_logits;
  const std::size_t pairs = model.train().size();
  double step =
      first_step_in_epochs_of(pairs / options.batch_size + (pairs % options.batch_size > 0));
  if (is_long) {
    step = std::max(least_step, step_of_long_rows * (users.mean + items.mean) / 2);
  } else if (dot_products) {
    step = first_step_under_dot_products;
  }
  options.learning_rate = learning_rate_of_step(model.options().optimizer, step, dim);
  require(*options.learning_rate > 0, "learning_rate",
          "must be given for the optimizer " + label(model.options().optimizer) +
              ", whose step length depends on the gradient's; Adam, DenseAdam and "
              "PartialRowWiseAdam have a default");
  if (!no_schedule) return;
  // Without a validation set, nothing tells when to lower the learning rate.
  if (dot_products && has_validation) options.schedule = schedule_of_dot_products;
  if (dot_products || is_long) return;
  options.schedule =
      has_validation ? Schedule(schedule_of_short_rows(step)) : Schedule(CosineSchedule{});
}

}  // namespace prism::inline PRISM_ISA::detail
