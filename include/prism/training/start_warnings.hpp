// SPDX-License-Identifier: BSD-3-Clause
// Warnings about a training run before its first step.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/loss.hpp"
#include "prism/training/row_magnitudes.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A loss of dot products warns above this mean of |u||i| over the training pairs. BPR that starts
/// from Xavier's rows, whose product is below 0.1, ends training between 7 and 13 (MF with 64
/// dimensions, synthetic data of two sizes): rows that start with more have larger magnitudes than
/// training would give them, before they have learnt a direction. At 10 the derivative of the
/// sigmoid is 2e-4 of its maximum if the cosines of two items differ by 1, and 7% of it if they
/// differ by 0.4, the mean cosine of a pair after training.
inline constexpr double max_initial_product = 10;

/// The mean that the suggested scale leads to: magnitudes so small that training sets them, as it
/// does from Xavier's, while PRISM's ratios remain. BPR and MACR rank worse at 1 than
/// at 0.01; below 0.01 they stay within 2 % of it (docs/how_to/training.md).
inline constexpr double scaled_product = 0.01;

/// Rows that training has not turned yet have a mean cosine of about 0 (at most 0.06 for MF, MLP
/// and LightGCN); after training by BPR it was 0.33 to 0.41.
inline constexpr double trained_cosine = 0.2;

/// "0.189" for 0.18893: 3 significant digits.
[[nodiscard]] inline std::string rounded(double number) {
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 3).ptr;
  return {digits, end};
}

/// Warns of output rows whose magnitudes saturate a loss whose logits are their dot products. Rows
/// that were trained before have large magnitudes too, but have learnt directions, and give no
/// warning.
template <Execution X, class Model>
[[nodiscard]] std::vector<std::string> start_warnings(const X& exec, const Model& model) {
  if (!prism::loss_traits(model.options().loss).dot_product_logits) return {};
  using Isa = typename X::isa;
  const auto output = model.output(exec);
  const auto users = output.users(), items = output.items();
  const std::vector<double> user_magnitude = row_magnitudes<Isa>(users);
  const std::vector<double> item_magnitude = row_magnitudes<Isa>(items);
  const double product = mean_over_pairs(exec, model.train(), [&](Index user, Index item) {
    return user_magnitude[user] * item_magnitude[item];
  });
  // A product that is not finite is a divergence, which training reports.
  if (!is_finite(product) || product <= max_initial_product) return {};
  const double score = mean_over_pairs(exec, model.train(), [&](Index user, Index item) {
    return static_cast<double>(dot<Isa>(users[user], items[item], users.dim()));
  });
  if (score > trained_cosine * product) return {};
  const std::string most = rounded(product);
  return {"the initial magnitudes of users and items are large: |u||i| is " + most +
          " on average over the training pairs, so initial scores range from -" + most + " to " +
          most + ", where a dot-product loss is saturated; multiply PRISM's scale by " +
          rounded(std::sqrt(scaled_product / product)) + " to bring |u||i| to about " +
          rounded(scaled_product) + ", or use a cosine loss such as SSM, which ignores magnitudes"};
}

}  // namespace prism::inline PRISM_ISA::detail
