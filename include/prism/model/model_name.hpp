// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "prism/core/config.hpp"
#include "prism/optimizer/adam.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/sampler/uniform.hpp"

namespace prism::inline PRISM_ISA {

/// The labels of a model's policies: "MF<64> + DirectAU + None + PRISM<1>". The optimizer is
/// included if it is not Adam, the sampler if the loss uses negatives and it is not
/// UniformNegatives, and the ranking if it is not as trained: "MF<64> + BPR + None + Xavier + SGD +
/// InBatchNegatives + power 0.2".
/// @param options  Recommender::Options
template <class Options>
[[nodiscard]] std::string name_of(const Options& options) {
  std::string name = prism::label(options.backbone) + " + " + prism::label(options.loss) + " + " +
                     prism::label(options.regularizer) + " + " + prism::label(options.initializer);
  if (prism::label(options.optimizer) != Adam::name)
    name += " + " + prism::label(options.optimizer);
  if (prism::loss_traits(options.loss).negatives > 0 &&
      prism::label(options.sampler) != UniformNegatives::name) {
    name += " + " + prism::label(options.sampler);
  }
  if (!options.ranking.is_default()) name += " + " + options.ranking.name();
  return name;
}

}  // namespace prism::inline PRISM_ISA
