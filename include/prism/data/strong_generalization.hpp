// SPDX-License-Identifier: BSD-3-Clause
// Splits users, not interactions: the model is not trained on the test users, and sees part of
// their items only when it has to predict the rest. Strong generalization: Marlin, "Collaborative
// filtering: a machine learning perspective", 2004; split as in Liang et al., "Variational
// autoencoders for collaborative filtering" (Mult-VAE), WWW 2018.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// Options of strong_generalization_split().
struct StrongGeneralizationOptions {
  double validation_users = 0.1;  ///< fraction of the users, in [0, 1)
  double test_users = 0.1;        ///< fraction of the users, in [0, 1)
  /// Fraction of a held-out user's items that are to be predicted, in [0, 1), rounded down as in
  /// the published code; the rest is folded in.
  double target = 0.2;
  std::size_t min_items = 5;  ///< a user with fewer items has none to predict: all are folded in
  std::uint64_t seed = 123;   ///< equal seeds give equal parts
};

/// Users held out from training, in two parts with the same users and items.
struct HeldOutUsers {
  Interactions fold_in;  ///< shown to the model
  Interactions target;   ///< to be predicted
};

/// All parts have the same items: those of the training users.
struct StrongGeneralizationSplit {
  Interactions train;  ///< all interactions of the training users
  HeldOutUsers validation;
  HeldOutUsers test;
  std::size_t dropped = 0;  ///< interactions of held-out users with items that no training user has
};

namespace detail {

/// Rows of a data set that become rows 0, 1, ... of a part.
struct KeptRows {
  std::shared_ptr<const Ids> ids;
  std::vector<Index> row_of;  // of each row of the data; absent if it is not in the part

  KeptRows(const Ids& all, std::span<const std::size_t> ascending);
};

/// Interactions in the order of the data, with their times.
struct PartBuilder {
  std::vector<Interaction> pairs{};
  std::vector<double> times{};

  void add(const Interactions& data, std::size_t k, Index user, Index item) {
    pairs.push_back({user, item});
    if (!data.times().empty()) times.push_back(data.times()[k]);
  }
  [[nodiscard]] Interactions build(const KeptRows& users, const KeptRows& items) const {
    return {users.ids, items.ids, pairs, times};
  }
};

}  // namespace detail

/// Draws validation and test users at random, and for each of them the items to be predicted.
/// Items that no training user has are left out, since the model cannot learn them. Users and items
/// keep the order of the data.
/// @throws ArgumentError  for a fraction outside [0, 1), or if no user is left to train on
[[nodiscard]] PRISM_INLINE StrongGeneralizationSplit strong_generalization_split(
    const Interactions& data, const StrongGeneralizationOptions& options = {});

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/strong_generalization.inl.hpp"
#endif
