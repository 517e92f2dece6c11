// SPDX-License-Identifier: BSD-3-Clause
// How much an item's magnitude, and with it popularity, weighs in ranking: chosen at ranking time,
// for a trained model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/power.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// Returns the scorer with each item's row v multiplied by |v|^(beta - 1), so that its magnitude
/// becomes |v|^beta. With beta 1 this is the same scorer, bit for bit; with 0, items rank by
/// cosine. If popular items have larger magnitudes, they count for less than the model learnt with
/// a beta below 1, and for more above 1. Rows of zeros do not change, nor do rows so small that
/// their squares are zero. A ranking rule's factors and offset are kept, not recomputed from the
/// rows.
/// @param exec  where it runs; for a device, the host that it belongs to; the host's threads if
///     left out
/// @param beta  finite; with rows of very different magnitudes, a large beta can overflow or
///     underflow
/// @throws ArgumentError  for a beta that is not finite, or that makes a row's magnitude infinite
///     or 0; for a row whose squared magnitude is not finite
template <Execution X, class T>
[[nodiscard]] Scorer<T> with_magnitude_exponent(const X& exec, const Scorer<T>& scorer,
                                                double beta) {
  const auto host = host_of(exec);
  using Isa = typename decltype(host)::isa;
  require(is_finite(beta), "beta", "must be a finite number");
  if (beta == 1) return scorer;
  const auto on_host = [&](Rows<const T> from) {
    const HostView<T, X> view(exec, std::span<const T>(from.data(), from.num_elements()));
    Matrix<T> table = make_table<T>(from.size(), from.dim());
    std::ranges::copy(view.numbers(), table.data());
    return table;
  };
  Matrix<T> own_users = on_host(scorer.output.users()), scaled = on_host(scorer.output.items());
  const Rows<T> items = rows(scaled);
  constexpr std::size_t grain = 256;
  parallel_chunks(host, items.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const T magnitude = norm<Isa>(items[r], items.dim());
      require(is_finite(magnitude), "scorer",
              "has an item row whose squared magnitude is not finite, so the item has no score");
      if (magnitude == 0) continue;
      scale<Isa>(items[r], T{1} / magnitude, items[r], items.dim());
      if (beta == 0) continue;
      const double trained = static_cast<double>(magnitude);
      const T factor = static_cast<T>(elementary::pow(trained, beta));
      require(is_finite(factor) && factor > 0, "beta",
              "must be closer to 0, not " + format_number(beta) + ": a row of magnitude " +
                  format_number(trained) + " to that power is too large or too small");
      scale<Isa>(items[r], factor, items[r], items.dim());
    }
  });
  return {Output<T>(std::move(own_users), std::move(scaled)), scorer.user_factor,
          scorer.item_factor, scorer.offset};
}
/// The same, on the host's threads.
template <class T>
[[nodiscard]] Scorer<T> with_magnitude_exponent(const Scorer<T>& scorer, double beta) {
  return with_magnitude_exponent(par, scorer, beta);
}

/// The ranking quality at one exponent; Report::ndcg_by_stratum splits it into popular, neutral and
/// unpopular items.
struct MagnitudePoint {
  double beta = 1;
  Report report{};
};

/// Evaluates a scorer with each of these exponents.
/// @param relevant  the part to predict, such as validation
/// @throws ArgumentError  as with_magnitude_exponent() and evaluate(); for no betas
template <Execution X, class T>
[[nodiscard]] std::vector<MagnitudePoint> magnitude_curve(const X& exec, const Scorer<T>& scorer,
                                                          const Interactions& relevant,
                                                          std::span<const double> betas,
                                                          const EvaluateOptions& options = {}) {
  require(!betas.empty(), "betas", "must not be empty");
  std::vector<MagnitudePoint> curve;
  for (const double beta : betas) {
    const Scorer<T> scaled = with_magnitude_exponent(exec, scorer, beta);
    curve.push_back({beta, evaluate(exec, scaled, relevant, options)});
  }
  return curve;
}
/// The same for a model; each user's training items are left out as by evaluate().
template <Execution X, class Model>
[[nodiscard]] std::vector<MagnitudePoint> magnitude_curve(const X& exec, const Model& model,
                                                          const Interactions& relevant,
                                                          std::span<const double> betas,
                                                          const EvaluateOptions& options = {}) {
  const EvaluateOptions of_scorer = detail::excluding_seen(options, model.train(), relevant);
  return magnitude_curve(exec, model.scorer(exec), relevant, betas, of_scorer);
}
/// The same for a scorer or a model, on the host's threads.
template <class Ranked>
requires(!Execution<Ranked>)
    [[nodiscard]] std::vector<MagnitudePoint> magnitude_curve(const Ranked& ranked,
                                                              const Interactions& relevant,
                                                              std::span<const double> betas,
                                                              const EvaluateOptions& options = {}) {
  return magnitude_curve(par, ranked, relevant, betas, options);
}

/// Returns the point of a curve with the greatest value of a metric; in a tie, the one whose beta
/// is closest to 1, the model as trained.
/// @param metric  `&Report::ndcg`, or any function of a Report:
///     `[](const Report& r) { return r.ndcg_by_stratum[2]; }`
/// @throws ArgumentError  for an empty curve
template <class Metric = double Report::*>
[[nodiscard]] MagnitudePoint best_point(std::span<const MagnitudePoint> curve,
                                        const Metric& metric = &Report::ndcg) {
  require(!curve.empty(), "curve", "must have at least one point");
  const MagnitudePoint* best = &curve.front();
  for (const MagnitudePoint& point : curve) {
    const double value = std::invoke(metric, point.report);
    const double so_far = std::invoke(metric, best->report);
    const bool closer = std::abs(point.beta - 1) < std::abs(best->beta - 1);
    if (value > so_far || (value == so_far && closer)) best = &point;
  }
  return *best;
}

}  // namespace prism::inline PRISM_ISA
