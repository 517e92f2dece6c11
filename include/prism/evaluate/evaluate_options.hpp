// SPDX-License-Identifier: BSD-3-Clause
// How a model is evaluated.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/evaluate/similarity.hpp"

namespace prism::inline PRISM_ISA {

/// Which users the metrics are means over.
enum class AveragedUsers {
  with_relevant_items,  ///< those with an item in the evaluated part
  all                   ///< all; one without relevant items counts as 0
};

/// What recall divides a user's hits by. The second is that of Liang et al. (Mult-VAE), WWW 2018.
enum class RecallDenominator {
  relevant,  ///< the number of relevant items
  at_most_k  ///< min(k, relevant items), so that 1 can be reached
};

struct EvaluateOptions {
  std::size_t k = 20;                          ///< length of the lists, at least 1
  std::vector<const Interactions*> exclude{};  ///< seen by the users, so not recommended
  /// Leave out the items that the user has in the model's training set too, as recommend() does.
  /// A Scorer has no training set: for it, only those of `exclude` are left out.
  bool exclude_seen = true;
  Similarity similarity = Similarity::dot;
  AveragedUsers averaged_users = AveragedUsers::with_relevant_items;
  RecallDenominator recall_denominator = RecallDenominator::relevant;
  /// Item popularity, for strata and for average_popularity; if empty, the number of interactions
  /// in the evaluated part and in all parts that are left out; one that several have counts once.
  std::span<const Index> popularity{};
};

}  // namespace prism::inline PRISM_ISA
