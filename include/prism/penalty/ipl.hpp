// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/penalty/ipl_batch_sums.hpp"
#include "prism/penalty/ipl_ratios.hpp"
#include "prism/penalty/ipl_training_sums.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// What IPL's c_i sums, and the items over which its deviation is taken.
enum class IPLSums {
  /// The scores of the item's training pairs; the items with a training interaction.
  training,
  /// The scores of the item's pairs in the batch; the same items.
  batch,
  /// As in the published code of the PRISM paper (KDD 2025): the items that occur in the batch, as
  /// positives or as negatives. c_i has as many terms as item i has occurrences, but not item i's
  /// own scores: the list of all scores is cut into one group per item, in ascending order of
  /// items, without having been sorted by item. The list holds the scores of the pairs, then those
  /// of each pair's first negative, then of each pair's second, and so on.
  batch_unsorted,
};

/// Penalty on popularity bias at the level of interactions: weight times the standard deviation of
/// c_i / d_i^(2 - gamma) over the items with a training interaction, where d_i is the popularity of
/// item i and c_i the sum of sig(u . i) over the users of its training interactions. It penalises
/// scores that grow with popularity. Each training step takes a pass over all training
/// interactions; with the other sums, over the batch and once over all items. Liu et al.:
/// "Popularity debiasing from exposure to interaction in collaborative filtering", SIGIR 2023.
struct IPL {
  static constexpr std::string_view name = "IPL";

  double weight = 0.1;
  double gamma = 1.285;
  IPLSums sums = IPLSums::training;

  static constexpr auto options = option_table(
      option<&IPL::weight>("weight", domain::non_negative),
      option<&IPL::gamma>("gamma", domain::any_number),
      option<&IPL::sums>(
          "sums", domain::enumerators("training, batch, batch_unsorted", IPLSums::batch_unsorted)));

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.needs_all_rows = sums == IPLSums::training,
            .sees_negatives = sums == IPLSums::batch_unsorted};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step) const {
    switch (sums) {
      case IPLSums::batch:
        return over_batch(step);
      case IPLSums::batch_unsorted:
        return over_unsorted_batch(step);
      default:
        return over_training(step);
    }
  }

 private:
  template <class T, Execution X>
  double over_training(const LossStep<T, X>& step) const {
    const Interactions& train = step.batch.train;
    const BatchSide& users = step.batch.user_side;
    const BatchSide& items = step.batch.item_side;
    const detail::ItemDegree degree{train.item_degree(), {}, gamma};
    const Rows<T> ratio = step.scratch.template allocate<T>(train.items(), 1);
    detail::training_ratios<T>(step.exec, train.users_by_item(), step.output, users.inverse_index,
                               items.inverse_index, degree, ratio);
    const auto statistics = detail::ratio_statistics<T>(step.exec, ratio, degree);
    if (statistics.gradient_scale == 0) return weight * statistics.deviation;

    detail::ratio_gradient(step.exec, ratio, statistics, weight, degree);
    detail::add_training_gradient<T>(step.exec, train.users_by_item(), step.output.items,
                                     items.inverse_index, step.output.users, users.inverse_index,
                                     {ratio, true}, step.gradient.items);
    detail::add_training_gradient<T>(step.exec, train.items_by_user(), step.output.users,
                                     users.inverse_index, step.output.items, items.inverse_index,
                                     {ratio, false}, step.gradient.users);
    return weight * statistics.deviation;
  }

  template <class T, Execution X>
  double over_batch(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const detail::ItemDegree degree{batch.train.item_degree(), {}, gamma};
    const detail::ScoreList list(batch, false);
    const detail::ScoreSigmoids<T> sigmoids = detail::sigmoids(step, list);
    const Rows<T> ratio =
        step.scratch.template allocate_zeros<T>(step.exec, batch.train.items(), 1);
    detail::batch_ratios<T>(step.exec, batch.item_side, sigmoids.probability, degree, ratio);
    const auto statistics = detail::ratio_statistics<T>(step.exec, ratio, degree);
    detail::ratio_gradient(step.exec, ratio, statistics, weight, degree);
    // Without negatives, an item's scores are its occurrences.
    detail::add_batch_gradient<T>(step, list, ratio, batch.item_side.unique_rows, batch.items,
                                  sigmoids.derivative, batch.item_side.occurrences);
    return weight * statistics.deviation;
  }

  template <class T, Execution X>
  double over_unsorted_batch(const LossStep<T, X>& step) const {
    const Batch& batch = step.batch;
    const BatchSide& items = batch.item_side;
    const detail::ItemDegree degree{batch.train.item_degree(), items.unique_rows, gamma};
    const detail::ScoreList list(batch, true);
    const detail::ScoreGroups groups(step, list);
    const detail::ScoreSigmoids<T> sigmoids = detail::sigmoids(step, list);
    const Rows<T> ratio = step.scratch.template allocate<T>(items.num_active, 1);
    detail::group_ratios<T>(step.exec, items, groups.first, sigmoids.probability, degree, ratio);
    const auto statistics = detail::ratio_statistics<T>(step.exec, ratio, degree);
    detail::ratio_gradient(step.exec, ratio, statistics, weight, degree);
    detail::add_batch_gradient<T>(step, list, ratio, {}, groups.group_of_score, sigmoids.derivative,
                                  groups.scores_of_item);
    return weight * statistics.deviation;
  }
};

static_assert(LossPolicy<IPL>);

}  // namespace prism::inline PRISM_ISA
