// SPDX-License-Identifier: BSD-3-Clause
// The candidates of tuning: the models of a grid with the hyperparameters of a search space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/experiment/hyperparameters.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/models/grid.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/options.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

/// A model with hyperparameters, for any seed.
struct Candidate {
  std::string model;  ///< one candidate is chosen for each model
  Configuration configuration{};
  std::function<TrialSpec(std::uint64_t seed)> trial;
};

namespace detail {

/// @throws ArgumentError  if a model type that fixes options, as Released does, trains with another
///     value than the configuration's
template <class Model>
void check_as_trained(const typename Model::Options& options, const Configuration& configuration) {
  if constexpr (requires { Model::as_trained(options); }) {
    const typename Model::Options trained = Model::as_trained(options);
    for (const Hyperparameter& hyperparameter : configuration) {
      typename Model::Options as_set = trained;
      FitOptions fit_options;
      set_hyperparameter(as_set, fit_options, hyperparameter);
      require(describe_policies(as_set) == describe_policies(trained), "space",
              "has " + label(Configuration{hyperparameter}) + ", but " +
                  model_name<Model>(options) + " always trains with another value instead");
    }
  }
}

}  // namespace detail

/// Candidates of each model of a grid: `candidates<Grid<...>>(split, space)`. A hyperparameter that
/// a model does not have, such as lambda without decay, does not multiply that model's candidates.
/// A hyperparameter of one policy has no effect on policies that lack it.
///
/// @tparam Models  Grid<...> or Types<...>
/// @param draws    of each random hyperparameter, for each combination of the grids
/// @param seed     of the draws
/// @throws ArgumentError  if the split has no validation or no test set, no model has a
///     hyperparameter of the space, a value is outside its option's domain or replaced by the model
///     type (Released), or two models have the same name
template <class Models>
[[nodiscard]] std::vector<Candidate> candidates(const Split& split, const SearchSpace& space,
                                                const FitOptions& fit = {}, std::size_t draws = 1,
                                                std::uint64_t seed = 0) {
  require(!split.validation.empty() && !split.test.empty(), "split",
          "must have a validation set to choose by, and a test set");
  std::vector<Candidate> all;
  std::set<std::string> used;
  const auto shared = std::make_shared<const Split>(split);
  const std::string split_text = describe_split(split);
  std::set<std::string> models;
  for_each_model<Models>([&]<class Model>() {
    const bool is_double = sizeof(typename Model::scalar_type) > sizeof(float);
    const std::string model = model_name<Model>() + (is_double ? " (double)" : "");
    require(models.insert(model).second, "Models",
            "must not have two models named " + model +
                "; give policies of the same name a label() that distinguishes them");
    const SearchSpace own = space.restricted_to([&](const std::string& name) {
      typename Model::Options options;
      FitOptions fit_of_candidate = fit;
      const bool has = set_hyperparameter(options, fit_of_candidate, {name, 1});
      if (has) used.insert(name);
      return has;
    });
    std::set<std::string> labels;
    for (const Configuration& configuration : own.configurations(draws, seed)) {
      if (!labels.insert(label(configuration)).second) continue;
      typename Model::Options options;
      FitOptions fit_of_candidate = fit;
      for (const Hyperparameter& hyperparameter : configuration) {
        set_hyperparameter(options, fit_of_candidate, hyperparameter);
      }
      options.for_each_policy([](const auto& policy) { prism::check_options(policy); });
      detail::check(fit_of_candidate, split, split.train);
      detail::check_as_trained<Model>(options, configuration);
      const auto trial = [=](std::uint64_t seed_of_trial) {
        typename Model::Options seeded = options;
        seeded.seed = seed_of_trial;
        return trial_of<Model>(shared, split_text, seeded, fit_of_candidate, configuration);
      };
      all.push_back({.model = model, .configuration = configuration, .trial = trial});
    }
  });
  for (const std::string& name : space.names()) {
    require(used.contains(name), "space",
            "has " + name +
                ", which is not a hyperparameter of any model of the grid; hyperparameters() lists "
                "them");
  }
  return all;
}

}  // namespace prism::inline PRISM_ISA
