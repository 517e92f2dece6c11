// SPDX-License-Identifier: BSD-3-Clause
// How a model is evaluated.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/similarity.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// The users over which metrics are averaged.
enum class AveragedUsers {
  with_relevant_items,  ///< those with an item in the evaluated part
  all                   ///< all users; one without relevant items counts as 0
};

/// The denominator of recall and of average precision. at_most_k is that of the recall of Liang et
/// al. (Mult-VAE), WWW 2018.
enum class RecallDenominator {
  relevant,  ///< the number of relevant items
  at_most_k  ///< min(k, relevant items), so that 1 can be reached
};

/// Options of evaluate() and ranked_lists().
struct EvaluateOptions {
  std::size_t k = 20;                          ///< length of the lists, at least 1
  std::vector<const Interactions*> exclude{};  ///< seen by the users, so not recommended
  /// Also leave out each user's items in the model's training set, as recommend() does. A Scorer
  /// has no training set: for it, only the items in `exclude` are left out.
  bool exclude_seen = true;
  Similarity similarity = Similarity::dot;
  AveragedUsers averaged_users = AveragedUsers::with_relevant_items;
  RecallDenominator recall_denominator = RecallDenominator::relevant;
  /// Item popularity, for strata and for average_popularity; if empty, the number of interactions
  /// in the evaluated part and in all parts that are left out, where an interaction that is in
  /// several parts counts once.
  std::span<const Index> popularity{};
  /// Evaluate only these users, ascending, such as a sample (sample_users()); if empty, all.
  std::span<const Index> users{};
  /// Rank only these items for each user, without those in `exclude`; if null, all items. A
  /// relevant item that is not among a user's candidates counts as not found.
  const Interactions* candidates = nullptr;
};

}  // namespace prism::inline PRISM_ISA
