// SPDX-License-Identifier: BSD-3-Clause
// The parts of a saved model that ranking needs, and other magnitudes for its items.
#pragma once

#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

/// The parts of a saved model that ranking needs, whatever its policies are. Copies share the rows.
template <class T = float>
struct SavedScorer {
  Scorer<T> scorer;    ///< with the magnitudes of `ranking`
  Interactions train;  ///< what each user has seen, and the ids
  std::string model;   ///< its name
  Ranking ranking;     ///< the model's; a function of popularity was saved as `magnitudes`
  /// With the magnitudes of training, from which fold_in_users() and with_ranking() start. It has
  /// the same rows as `scorer` if items are ranked as trained; otherwise the items take as much
  /// memory once more.
  Scorer<T> trained;
};

/// Returns the saved model with another ranking, bit for bit as model.set_ranking() gives it:
///   const auto saved = with_ranking(load_scorer("model"), {.power = 0.3});
/// Ranking{} ranks with the magnitudes of training.
/// @throws ArgumentError  as with_ranking() of a scorer; for values to choose from, since only
///     training chooses
template <Execution X, class T>
[[nodiscard]] SavedScorer<T> with_ranking(const X& exec, SavedScorer<T> saved,
                                          const Ranking& ranking) {
  saved.scorer = with_ranking(exec, saved.trained, ranking, saved.train);
  // The name of a model ends with its ranking, unless it is as trained.
  const auto ending = [](const Ranking& named) {
    return !named.is_default() ? " + " + named.name() : std::string();
  };
  const std::string before = ending(saved.ranking);
  if (saved.model.ends_with(before)) saved.model.resize(saved.model.size() - before.size());
  saved.model += ending(ranking);
  saved.ranking = ranking;
  return saved;
}

/// Runs on the host's threads: with_ranking(par, saved, ranking).
template <class T>
[[nodiscard]] SavedScorer<T> with_ranking(SavedScorer<T> saved, const Ranking& ranking) {
  return with_ranking(par, std::move(saved), ranking);
}

}  // namespace prism::inline PRISM_ISA
