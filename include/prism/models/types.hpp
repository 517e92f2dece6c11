// SPDX-License-Identifier: BSD-3-Clause
// Lists of policies, and their selection by name, e.g. from a command line.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// A list of types.
template <class... T>
struct Types {};

/// The names of a list of policies.
template <class... Policies>
[[nodiscard]] std::vector<std::string> names(Types<Policies...>) {
  return {std::string(Policies::name)...};
}

/// Calls visit(std::type_identity<Policy>) for the policy of that name.
/// @param argument  the option that has the name, e.g. "loss"
/// @throws ArgumentError  if no policy has the name; the message lists the names
template <class... Policies, class Visit>
void choose(Types<Policies...> list, const char* argument, std::string_view name,
            const Visit& visit) {
  const auto try_one = [&]<class Policy>(std::type_identity<Policy> tag) {
    if (name != Policy::name) return false;
    visit(tag);
    return true;
  };
  if ((try_one(std::type_identity<Policies>{}) || ...)) return;
  std::string choices;
  for (const std::string& choice : names(list)) choices += (choices.empty() ? "" : ", ") + choice;
  throw ArgumentError(argument, "must be one of " + choices + ", not '" + std::string(name) + "'");
}

}  // namespace prism::inline PRISM_ISA
