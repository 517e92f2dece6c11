// SPDX-License-Identifier: BSD-3-Clause
// The hyperparameters of a model and its training by name, so that a search can set them.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/policy/options.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// @throws ArgumentError  for a number that is not a value of the option's type
template <class Option>
void set_option(Option& option, const std::string& name, double value) {
  if constexpr (std::same_as<Option, bool>) {
    require(value == 0 || value == 1, name.c_str(), "must be 0 or 1, not " + format_number(value));
    option = value == 1;
  } else if constexpr (std::integral<Option>) {
    require(value >= 0 && value == std::floor(value) &&
                value < static_cast<double>(std::numeric_limits<Option>::max()),
            name.c_str(),
            "must be an integer from 0 to below " +
                format_number(static_cast<double>(std::numeric_limits<Option>::max())) + ", not " +
                format_number(value));
    option = static_cast<Option>(value);
  } else {
    option = value;
  }
}
template <class Option>
void set_option(std::optional<Option>& option, const std::string& name, double value) {
  Option checked{};
  set_option(checked, name, value);
  option = checked;
}

/// Calls visit(kind, name, set) for each hyperparameter of a policy and of its parts, where set
/// takes a number.
template <class Policy, class Visit>
void visit_hyperparameters(std::string_view kind, Policy& policy, const Visit& visit) {
  for_each_option(policy, [&]<class Option>(std::string_view name, Option& option) {
    if constexpr (std::is_arithmetic_v<Option>) {
      visit(kind, name, [&](double value) { set_option(option, std::string(name), value); });
    }
  });
  for_each_part(kind, policy, [&](std::string_view part_kind, auto& part) {
    visit_hyperparameters(part_kind, part, visit);
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
                                      names.push_back(std::string(kind) + "." + std::string(name));
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
          const std::string qualified = std::string(kind) + "." + std::string(option);
          if (name != option && name != qualified) return;
          if (set) {
            assign(value);
          } else {
            found.push_back(qualified);
          }
        });
  };
  visit(false);
  if (found.size() > 1) {
    std::string names;
    for (const std::string& each : found) names += (names.empty() ? "" : " or ") + each;
    require(false, name.c_str(), "is an option of several policies: write " + names);
  }
  if (!found.empty()) visit(true);
  return !found.empty();
}

}  // namespace prism::inline PRISM_ISA
