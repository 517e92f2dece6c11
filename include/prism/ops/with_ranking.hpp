// SPDX-License-Identifier: BSD-3-Clause
// Gives a scorer's rows the magnitudes that they are ranked with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/ops/rescale_rows.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Throws the error for the first row that rescale_rows() could not rescale.
template <class T, Execution X>
[[noreturn]] void throw_rescaling_error(const X& exec, Rows<const T> rows, const Ranking& ranking) {
  const auto host = host_of(exec);
  using Isa = typename decltype(host)::isa;
  const HostView<T, X> view(exec, std::span<const T>(rows.data(), rows.num_elements()));
  double extreme = 1;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double magnitude =
        static_cast<double>(norm<Isa>(view.numbers().data() + r * rows.dim(), rows.dim()));
    require(is_finite(magnitude), "scorer",
            "has a row whose squared magnitude is not finite, so it has no score");
    if (magnitude > 0 && std::abs(std::log(magnitude)) > std::abs(std::log(extreme))) {
      extreme = magnitude;
    }
  }
  if (ranking.own_exponent() == 0) {
    throw ArgumentError(ranking.magnitudes.empty() ? "magnitude" : "magnitudes",
                        "must be neither so small nor so large that a row's numbers, times it, are "
                        "beyond the range of the rows' type");
  }
  throw ArgumentError("exponent",
                      "must be closer to 0, not " + format_number(ranking.own_exponent()) +
                          ": a row of magnitude " + format_number(extreme) + " to that power" +
                          (ranking.sets_magnitudes() ? ", times its m(d)," : "") +
                          " is too large or too small");
}

/// A copy of rows with the magnitudes that a ranking gives them, in the execution's memory.
/// @param popularity  of the first rows; those beyond keep their magnitudes
template <class T, Execution X>
[[nodiscard]] Matrix<T> rows_as_ranked(const X& exec, Rows<const T> rows, const Ranking& ranking,
                                       std::span<const Index> popularity) {
  const std::size_t scaled = std::min(popularity.size(), rows.size());
  Matrix<T> table = make_table<T>(rows.size(), rows.dim(), memory_of(exec));
  const std::vector<T> on_host = magnitudes_for<T>(ranking, popularity);
  const TableVector<T> magnitudes(std::span<const T>(on_host), memory_of(exec));
  const Rows<const T> first = rows.first(scaled);
  const std::size_t failed =
      rescale_rows<T>(exec, first, std::span<const T>(magnitudes.data(), magnitudes.size()),
                      ranking.own_exponent(), prism::rows(table).first(scaled));
  if (failed > 0) throw_rescaling_error(exec, first, ranking);
  const std::size_t begin = scaled * rows.dim(), rest = rows.num_elements() - begin;
  copy_numbers(exec, std::span<const T>(rows.data() + begin, rest),
               std::span<T>(table.data() + begin, rest));
  synchronise(exec);
  return table;
}

/// As with_ranking(), also before training has chosen alpha or power.
template <Execution X, class T>
[[nodiscard]] Scorer<T> ranked_scorer(const X& exec, const Scorer<T>& scorer,
                                      const Ranking& ranking, const Interactions& train) {
  ranking.check();
  if (ranking.as_trained()) return scorer;
  const Rows<const T> items = scorer.output.items(), users = scorer.output.users();
  if constexpr (DeviceExecution<X>) {
    if (!can_read(exec, items.data())) {
      return ranked_scorer(prism::host_of(exec), scorer, ranking, train);
    }
  }
  struct Owned {
    Output<T> output;  // keeps the rows that are not rescaled
    Matrix<T> items, users;
  };
  const auto owned = std::make_shared<Owned>(
      Owned{scorer.output, rows_as_ranked<T>(exec, items, ranking, train.on_host().item_degree()),
            ranking.users ? rows_as_ranked<T>(exec, users, ranking, train.on_host().user_degree())
                          : Matrix<T>()});
  const Embeddings<const T> ranked{ranking.users ? rows(std::as_const(owned->users)) : users,
                                   rows(std::as_const(owned->items))};
  return {Output<T>(ranked, owned), scorer.user_factor, scorer.item_factor, scorer.offset};
}

}  // namespace detail

/// Returns the scorer with the rows of its items, and with Ranking::users those of its users too,
/// rescaled to the magnitudes of a ranking. With Ranking{} this is the same scorer, bit for bit.
/// Rows of zeros do not change, nor do rows so small that their squares are zero. The factors and
/// the offset of a loss's ranking rule are kept, not recomputed from the rows.
/// @param exec   where it runs, if it can read the rows, otherwise the host that it belongs to; the
///     host's threads if left out
/// @param train  whose popularity the magnitudes follow. If the scorer has more items or users,
///     the rows beyond those of `train` keep their magnitudes
/// @throws ArgumentError  for a ranking whose members are outside their domains, or that has values
///     to choose from and no choice, since only training chooses; one that makes a row's magnitude
///     infinite or 0; a row whose squared magnitude is not finite
template <Execution X, class T>
[[nodiscard]] Scorer<T> with_ranking(const X& exec, const Scorer<T>& scorer, const Ranking& ranking,
                                     const Interactions& train) {
  ranking.check();
  ranking.check_has_choice();
  return detail::ranked_scorer(exec, scorer, ranking, train);
}

/// Runs on the host's threads: with_ranking(par, scorer, ranking, train).
template <class T>
[[nodiscard]] Scorer<T> with_ranking(const Scorer<T>& scorer, const Ranking& ranking,
                                     const Interactions& train) {
  return with_ranking(par, scorer, ranking, train);
}

}  // namespace prism::inline PRISM_ISA
