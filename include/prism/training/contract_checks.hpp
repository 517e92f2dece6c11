// SPDX-License-Identifier: BSD-3-Clause
// What a trainer requires of its arguments and, at run time, of what policies return.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/training/batch_builder.hpp"

namespace prism::inline PRISM_ISA::detail {

/// An Index numbers the occurrences of items in a batch.
/// @param pairs  at least 1
/// @throws ArgumentError  if a batch would have too many
inline void check_negatives_per_pair(std::size_t pairs, std::size_t n) {
  constexpr std::size_t most_items = std::numeric_limits<Index>::max();
  const std::size_t most = pairs < most_items ? most_items / pairs - 1 : 0;
  require(n <= most, "negatives",
          "must be at most " + std::to_string(most) + " for each of " + std::to_string(pairs) +
              " pairs, not " + std::to_string(n));
}

/// @param negatives  those of a batch of `pairs` pairs
/// @throws ArgumentError  if the number of negatives is not the loss's, or the loss does not accept
///     shared ones
template <class Loss>
void check_negatives(const Loss& loss, std::size_t pairs, const BatchNegatives& negatives) {
  const LossTraits traits = prism::loss_traits(loss);
  const std::size_t n = traits.negatives, given = negatives.items.size();
  if (!negatives.shared) {
    check_negatives_per_pair(pairs, n);
    require(given == pairs * n, "negatives",
            "must be " + std::to_string(n) + " for each of the " + std::to_string(pairs) +
                " pairs, not " + std::to_string(given) + " in total");
    return;
  }
  require(traits.takes_shared_negatives, "sampler",
          "must draw separate negatives for each pair: " + prism::label(loss) +
              " does not accept shared ones (its traits do not set takes_shared_negatives)");
  require(n > 0 && given > 0, "negatives", "must be at least 1, for a loss that uses negatives");
}

/// @param negatives  in host memory, as a sampler has drawn them
/// @throws ArgumentError  if an item is not below `items`
inline void check_sampled_items(std::span<const Index> negatives, std::size_t items) {
  if (negatives.empty()) return;
  const Index largest = *std::ranges::max_element(negatives);
  require(largest < items, "sampler",
          "must return items below " + std::to_string(items) + ", not " + std::to_string(largest));
}

/// @param values  as a sampler's log_probability has set them
/// @throws ArgumentError  if there are some, but not one for each active item
inline void check_log_probability(std::span<const double> values, const Batch& batch) {
  require(values.empty() || values.size() == batch.item_side.num_active, "sampler",
          "must set " + std::to_string(batch.item_side.num_active) +
              " values in log_probability, one for each active item of the batch, not " +
              std::to_string(values.size()));
}

/// @throws ArgumentError  if a parameter that has rows of users or items has another number of them
template <class T>
void check_rows(const ParameterView<T>& parameter, const Interactions& train) {
  if (parameter.reached == ParameterRows::all) return;
  const bool reaches_users = parameter.reached == ParameterRows::users;
  const std::size_t size = reaches_users ? train.users() : train.items();
  require(parameter.rows.size() == size, "State",
          "must have " + std::to_string(size) +
              " rows in a parameter with ParameterRows::" + (reaches_users ? "users" : "items") +
              ", not " + std::to_string(parameter.rows.size()));
}

}  // namespace prism::inline PRISM_ISA::detail
