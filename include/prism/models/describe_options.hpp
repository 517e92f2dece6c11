// SPDX-License-Identifier: BSD-3-Clause
// The options of a policy as data, from its table.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/models/make_model.hpp"
#include "prism/models/policy_options.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/options.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

template <class Value>
[[nodiscard]] constexpr OptionKind kind_of() noexcept {
  if (std::is_same_v<Value, bool>) return OptionKind::boolean;
  if (std::is_enum_v<Value>) return OptionKind::enumeration;
  return std::is_integral_v<Value> ? OptionKind::integer : OptionKind::number;
}

}  // namespace detail

/// Adds the options of a policy and of its parts, with their values as defaults.
/// @param kind  "loss"
template <class Policy>
void describe_options(std::string_view kind, const Policy& policy,
                      std::vector<OptionDescription>& to) {
  if constexpr (detail::HasOptionTable<Policy>) {
    const auto add = [&]<auto Member>(const Option<Member>& row) {
      using Value = std::remove_cvref_t<decltype(policy.*Member)>;
      if constexpr (detail::is_option_value<Value>) {
        to.push_back({.name = row.name,
                      .qualified = detail::qualified_name(kind, row.name),
                      .kind = detail::kind_of<Value>(),
                      .value = static_cast<double>(policy.*Member),
                      .domain = row.domain});
      }
    };
    std::apply([&](const auto&... rows) { (add(rows), ...); }, Policy::options);
  }
  for_each_part(kind, policy, [&](std::string_view part_kind, const auto& part) {
    describe_options(part_kind, part, to);
  });
}

}  // namespace prism::inline PRISM_ISA
