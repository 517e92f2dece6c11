// SPDX-License-Identifier: BSD-3-Clause
// Models by the names of their policies, from those that the library prism::models has compiled.
// Includes no policy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/models/any_recommender.hpp"
#include "prism/models/model_spec.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// What kind of number an option is.
enum class OptionKind { boolean, integer, number, enumeration };

/// An option of a policy, as a program shows it.
struct OptionDescription {
  std::string name;       ///< "tau"
  std::string qualified;  ///< "loss.tau"
  OptionKind kind;
  double value;   ///< the default
  Domain domain;  ///< with the names of an enumeration
};

/// A policy with its options, as a program shows it.
struct PolicyDescription {
  std::string kind;  ///< "backbone", "loss", "penalty", "regularizer", "initializer", ...
  std::string name;  ///< as in ModelSpec
  std::vector<OptionDescription> options{};
};

/// The policies that a ModelSpec may name, in the order of their kinds.
[[nodiscard]] std::vector<PolicyDescription> compiled_policies();

/// Makes a model of float numbers.
/// @param exec   where it is made, trained and ranked: par, or threads(n)
/// @param train  at least one interaction; the model owns them, so they are copied unless moved
/// @throws ArgumentError  for a name that no policy has, an option that the policies do not have or
///     that is outside its domain, or as the model's constructor
[[nodiscard]] std::unique_ptr<AnyRecommender> make_model(const Host<>& exec, const ModelSpec& spec,
                                                         Interactions train);
[[nodiscard]] std::unique_ptr<AnyRecommender> make_model(const ModelSpec& spec, Interactions train);

}  // namespace prism::inline PRISM_ISA
