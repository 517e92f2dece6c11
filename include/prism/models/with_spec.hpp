// SPDX-License-Identifier: BSD-3-Clause
// The model type of a ModelSpec. Backbone and loss are chosen at compile time, because a run-time
// choice would slow down training steps; the other policies at run time.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/model/recommender.hpp"
#include "prism/models/any_recommender.hpp"
#include "prism/models/make_any_recommender.hpp"
#include "prism/models/make_model_with.hpp"
#include "prism/models/model_spec.hpp"
#include "prism/models/one_of.hpp"
#include "prism/models/policies.hpp"
#include "prism/models/policy_options.hpp"
#include "prism/models/released.hpp"
#include "prism/models/types.hpp"
#include "prism/penalty/penalized.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The policy of this name in a list, as a run-time choice.
template <template <class...> class One, class... Policies>
[[nodiscard]] One<Policies...> one_of(Types<Policies...> list, const char* argument,
                                      const std::string& name, bool released) {
  One<Policies...> chosen;
  choose(list, argument, name, [&]<class Policy>(std::type_identity<Policy>) {
    chosen = released ? as_released(Policy{}) : Policy{};
  });
  return chosen;
}

template <class Backbone>
[[nodiscard]] auto backbone_of(std::type_identity<Backbone>, const ModelSpec& spec) {
  return Dropout<Backbone>{.base = Backbone(spec.dim), .rate = spec.dropout};
}
/// The tower's activation is a run-time choice too.
[[nodiscard]] inline auto backbone_of(std::type_identity<MLP<dynamic>>, const ModelSpec& spec) {
  using Activation = OneActivation<ReLU, Identity>;
  using Backbone = MLP<dynamic, 2, Activation>;
  Activation activation;
  choose(Types<ReLU, Identity>{}, "activation", spec.activation,
         [&]<class Chosen>(std::type_identity<Chosen>) { activation = Chosen{}; });
  return Dropout<Backbone>{.base = Backbone(spec.dim, activation), .rate = spec.dropout};
}

template <class Backbone, class Loss>
using SpecModel =
    Recommender<Backbone,
                Penalized<Loss, decltype(one_of<OnePenalty>(all::Penalties{}, "", "", false))>,
                decltype(one_of<OneRegularizer>(all::Regularizers{}, "", "", false)),
                decltype(one_of<OneInitializer>(all::Initializers{}, "", "", false)),
                decltype(one_of<OneOptimizer>(all::Optimizers{}, "", "", false)),
                decltype(one_of<OneSampler>(all::Samplers{}, "", "", false))>;

}  // namespace detail

/// Calls use.template operator()<Model>(options) for the model of this loss type and of the other
/// policies that are chosen by name.
/// @throws ArgumentError  as make_model()
template <class Loss, class Use>
void with_spec(const ModelSpec& spec, const Use& use) {
  using namespace detail;
  choose(all::Backbones{}, "backbone", spec.backbone, [&](auto type) {
    auto backbone = backbone_of(type, spec);
    using Model = SpecModel<decltype(backbone), Loss>;
    typename Model::Options options{
        .seed = spec.seed,
        .backbone = std::move(backbone),
        .loss = {.loss = spec.released ? as_released(Loss{}) : Loss{}, .penalty = {}},
        .regularizer = one_of<OneRegularizer>(all::Regularizers{}, "regularizer", spec.regularizer,
                                              spec.released),
        .initializer = one_of<OneInitializer>(all::Initializers{}, "initializer", spec.initializer,
                                              spec.released),
        .optimizer =
            one_of<OneOptimizer>(all::Optimizers{}, "optimizer", spec.optimizer, spec.released),
        .sampler = one_of<OneSampler>(all::Samplers{}, "sampler", spec.sampler, spec.released),
        .ranking = spec.ranking};
    if (!spec.penalty.empty()) {
      options.loss.penalty =
          one_of<OnePenalty>(all::Penalties{}, "penalty", spec.penalty, spec.released);
    }
    for (const auto& [name, value] : spec.options) set_policy_option(options, name, value);
    use.template operator()<Model>(std::move(options));
  });
}

template <class Loss, Execution X>
std::unique_ptr<AnyRecommender> make_model_with(const X& exec, const ModelSpec& spec,
                                                Interactions&& train) {
  std::unique_ptr<AnyRecommender> model;
  with_spec<Loss>(spec, [&]<class Model>(typename Model::Options&& options) {
    model = make_any_recommender<Model>(exec, std::move(train), std::move(options));
  });
  return model;
}

}  // namespace prism::inline PRISM_ISA
