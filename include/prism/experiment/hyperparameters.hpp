// SPDX-License-Identifier: BSD-3-Clause
// The hyperparameters of a model and its training by name, so that a search can set them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/models/policy_options.hpp"
#include "prism/policy/options.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Calls visit(kind, name, set) for each hyperparameter of a policy and of its parts, where set
/// takes a number. An enumeration is none.
template <class Policy, class Visit>
void visit_hyperparameters(std::string_view kind, Policy& policy, const Visit& visit) {
  visit_options(
      kind, policy,
      [&]<class Option>(std::string_view part_kind, std::string_view name, Option& option) {
        if constexpr (std::is_arithmetic_v<Option>) {
          visit(part_kind, name,
                [&](double value) { set_option(option, std::string(name), value); });
        }
      });
}

/// All hyperparameters of a model and its training: those of FitOptions first, of kind "fit".
/// @param options  Recommender::Options
template <class Options, class Visit>
void visit_all_hyperparameters(Options& options, FitOptions& fit, const Visit& visit) {
  const auto visit_fit_option = [&](std::string_view name, auto& option) {
    visit(std::string_view("fit"), name,
          [&](double value) { set_option(option, std::string(name), value); });
  };
  visit_fit_option("learning_rate", fit.learning_rate);
  visit_fit_option("batch_size", fit.batch_size);
  visit_fit_option("epochs", fit.epochs);
  visit_fit_option("patience", fit.patience);
  visit_fit_option("min_steps", fit.min_steps);
  for_each_kind(options, [&](std::string_view kind, auto& policy) {
    visit_hyperparameters(kind, policy, visit);
  });
}

}  // namespace detail

/// The hyperparameters of a model and its training: "fit.learning_rate", "loss.gamma",
/// "regularizer.lambda", "initializer.alpha" ...
/// @param options  Recommender::Options
template <class Options>
[[nodiscard]] std::vector<std::string> hyperparameters(Options options) {
  std::vector<std::string> names;
  FitOptions fit;
  detail::visit_all_hyperparameters(options, fit,
                                    [&](std::string_view kind, std::string_view name, const auto&) {
                                      names.push_back(detail::qualified_name(kind, name));
                                    });
  return names;
}

/// Sets a hyperparameter of a model or its training.
/// @param options         Recommender::Options
/// @param hyperparameter  named as the option, "gamma", with its kind if several policies have an
///     option of that name: "loss.gamma", "penalty.gamma"
/// @return whether such an option exists
/// @throws ArgumentError  if there are several, or the value is not one of the option's type
template <class Options>
bool set_hyperparameter(Options& options, FitOptions& fit, const Hyperparameter& hyperparameter) {
  std::vector<std::string> found;
  const auto [name, value] = hyperparameter;
  const auto visit = [&](bool set) {
    detail::visit_all_hyperparameters(
        options, fit, [&](std::string_view kind, std::string_view option, const auto& assign) {
          const std::string qualified = detail::qualified_name(kind, option);
          if (name != option && name != qualified) return;
          if (set) {
            assign(value);
          } else {
            found.push_back(qualified);
          }
        });
  };
  visit(false);
  detail::refuse_several(name, found);
  if (!found.empty()) visit(true);
  return !found.empty();
}

}  // namespace prism::inline PRISM_ISA
