// SPDX-License-Identifier: BSD-3-Clause
// The options of a model's policies by name, as numbers: set by searches, programs and files.
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
#include "prism/policy/options.hpp"

namespace prism::inline PRISM_ISA::detail {

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
  } else if constexpr (std::is_enum_v<Option>) {
    std::underlying_type_t<Option> number{};
    set_option(number, name, value);
    option = static_cast<Option>(number);  // the domain is checked with the other options'
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

/// Calls visit(kind, name, option) for each option of a policy and of its parts.
template <class Policy, class Visit>
void visit_options(std::string_view kind, Policy& policy, const Visit& visit) {
  for_each_option(policy, [&](std::string_view name, auto& option) { visit(kind, name, option); });
  for_each_part(kind, policy, [&](std::string_view part_kind, auto& part) {
    visit_options(part_kind, part, visit);
  });
}

/// "loss.tau"
[[nodiscard]] inline std::string qualified_name(std::string_view kind, std::string_view name) {
  return std::string(kind).append(".").append(name);
}

/// @param found  the qualified names of the options that a name may mean
/// @throws ArgumentError  if there are several
inline void refuse_several(const std::string& name, const std::vector<std::string>& found) {
  if (found.size() <= 1) return;
  std::string names;
  for (const std::string& each : found) names += (names.empty() ? "" : " or ") + each;
  throw ArgumentError(name, "is an option of several policies: write " + names);
}

/// Sets an option of a model's policies.
/// @param options  Recommender::Options
/// @param name     "tau"; with its kind if several policies have an option of that name:
/// "loss.gamma"
/// @throws ArgumentError  if no policy has it, or several do, or the value is not of its type
template <class Options>
void set_policy_option(Options& options, const std::string& name, double value) {
  std::vector<std::string> found, all;
  const auto visit_all = [&](const auto& visit) {
    for_each_kind(options,
                  [&](std::string_view kind, auto& policy) { visit_options(kind, policy, visit); });
  };
  visit_all([&](std::string_view kind, std::string_view option, const auto&) {
    all.push_back(qualified_name(kind, option));
    if (name == option || name == all.back()) found.push_back(all.back());
  });
  refuse_several(name, found);
  if (found.empty()) {
    std::string names;
    for (const std::string& each : all) names += (names.empty() ? "" : ", ") + each;
    throw ArgumentError(name, "is no option of these policies, which have: " + names);
  }
  visit_all([&](std::string_view kind, std::string_view option, auto& member) {
    if (qualified_name(kind, option) == found.front()) set_option(member, name, value);
  });
}

}  // namespace prism::inline PRISM_ISA::detail
