// SPDX-License-Identifier: BSD-3-Clause
// The behaviour of the paper's published code (github.com/snap-research/PRISM) where it differs
// from the definitions in the paper and its sources, so that its runs can be reproduced next to
// those by the definitions.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <utility>

#include "prism/backbone/mlp.hpp"
#include "prism/core/config.hpp"
#include "prism/data/interactions.hpp"
#include "prism/loss/mawu.hpp"
#include "prism/loss/ssm.hpp"
#include "prism/model/recommender.hpp"
#include "prism/models/one_of.hpp"
#include "prism/penalty/ipl.hpp"
#include "prism/penalty/penalized.hpp"
#include "prism/sampler/in_batch.hpp"
#include "prism/training/fit.hpp"

namespace prism::inline PRISM_ISA {

/// A policy with the options of the published code; most are unchanged.
template <class Policy>
[[nodiscard]] Policy as_released(Policy policy) {
  return policy;
}
/// 20 negatives, as in the published script, where the paper's text has 10, the library's default.
/// Any other number is kept.
[[nodiscard]] inline SSM as_released(SSM loss) {
  if (loss.negatives == SSM{}.negatives) loss.negatives = 20;
  return loss;
}
/// Each pair's angle is combined with the margins of all pairs.
[[nodiscard]] inline MAWU as_released(MAWU loss) {
  loss.pair_mean = PairMean::full_matrix;
  loss.broadcast = true;
  return loss;
}
/// Over the items of the batch, with groups of scores that are not sorted by item.
[[nodiscard]] inline IPL as_released(IPL penalty) {
  penalty.sums = IPLSums::batch_unsorted;
  return penalty;
}
/// The options of the chosen penalty.
template <class... Policies>
[[nodiscard]] OnePenalty<Policies...> as_released(OnePenalty<Policies...> penalty) {
  penalty.visit([](auto& chosen) { chosen = as_released(chosen); });
  return penalty;
}
template <class Loss, class Penalty>
[[nodiscard]] Penalized<Loss, Penalty> as_released(Penalized<Loss, Penalty> both) {
  both.loss = as_released(both.loss);
  both.penalty = as_released(both.penalty);
  return both;
}

namespace detail {

template <class Backbone>
struct ReleasedBackbone {
  using type = Backbone;
};
/// The released towers have no activation.
template <std::size_t Dim, std::size_t Layers, class Activation>
struct ReleasedBackbone<MLP<Dim, Layers, Activation>> {
  using type = MLP<Dim, Layers, Identity>;
};

}  // namespace detail

/// A model as the published code trains it, used like Recommender. Towers are linear, negatives are
/// drawn from the batch's items, losses have the options of as_released(), and fit() shuffles the
/// batches once. There is no sampler parameter.
///
/// Not reproduced ("there" is the published code, "here" the library):
/// - BatchedWD decays the output rows of the encoder there. For MF this is the same; for MLP and
///   LightGCN, rows of the tables decay here.
/// - LightGCN draws negatives from, counts degrees in, and takes IPL's deviation over, the sampled
///   neighbourhood of the batch there; here negatives and IPL's items are the batch's, and degrees
///   are those of the whole training graph.
/// - MAWU's margins belong to positions in the batch there, not to users and items, and are clamped
///   before the optimizer's step; here after it.
/// - MACR ranks by its rule in validation there, but by the dot product in testing; here by its
///   rule in both.
/// - Metrics omit the last user there.
/// - Data is up to the caller: MovieLens 1M is used with all ratings there, whereas the paper's
///   table counts those of 3 and more. So is IPL's gamma, which is set for each data set there:
///   1.285 Gowalla, 1.826 MovieLens 1M, 1.552 Yelp2018, 1.446 AmazonBook.
/// - IPL with SSM ends in an error there; MAWU and MACR ignore penalties.
template <class Backbone, class Loss, class Regularizer = None, class Initializer = Xavier,
          class Optimizer = Adam, class Scalar = float>
class Released : public Recommender<typename detail::ReleasedBackbone<Backbone>::type, Loss,
                                    Regularizer, Initializer, Optimizer, InBatchNegatives, Scalar> {
  using Base = Recommender<typename detail::ReleasedBackbone<Backbone>::type, Loss, Regularizer,
                           Initializer, Optimizer, InBatchNegatives, Scalar>;

 public:
  using typename Base::Options;
  static constexpr Shuffle shuffle = Shuffle::once;

  explicit Released(Interactions train, Options options = {})
      : Base(std::move(train), as_trained(std::move(options))) {}
  template <Execution X>
  explicit Released(const X& exec, Interactions train, Options options = {})
      : Base(exec, std::move(train), as_trained(std::move(options))) {}
  /// A copy with its tables in this memory.
  Released(const Released& other, std::pmr::memory_resource* memory) : Base(other, memory) {}

  /// "Released: MF<64> + DirectAU + None + Xavier"
  [[nodiscard]] std::string name() const { return name_of(this->options()); }
  [[nodiscard]] static std::string name_of(const Options& options) {
    return "Released: " + prism::name_of(options);
  }

  /// The options that a model made with `options` has.
  [[nodiscard]] static Options as_trained(Options options) {
    options.loss = as_released(options.loss);
    return options;
  }
};

}  // namespace prism::inline PRISM_ISA
