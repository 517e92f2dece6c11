// SPDX-License-Identifier: BSD-3-Clause
// The policies that a ModelSpec may name, as data.
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/models/make_model.hpp"
#include "prism/models/policies.hpp"
#include "prism/models/policy_options.hpp"
#include "prism/models/types.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/options.hpp"

namespace prism::inline PRISM_ISA {

namespace {

template <class Value>
constexpr OptionKind kind_of() {
  if (std::is_same_v<Value, bool>) return OptionKind::boolean;
  if (std::is_enum_v<Value>) return OptionKind::enumeration;
  return std::is_integral_v<Value> ? OptionKind::integer : OptionKind::number;
}

/// Adds the options of a policy and of its parts.
template <class Policy>
void add_options(std::string_view kind, const Policy& policy, std::vector<OptionDescription>& to) {
  if constexpr (detail::HasOptionTable<Policy>) {
    const auto add = [&]<auto Member>(const Option<Member>& row) {
      using Value = std::remove_cvref_t<decltype(policy.*Member)>;
      if constexpr (detail::is_option_value<Value>) {
        to.push_back({.name = row.name,
                      .qualified = detail::qualified_name(kind, row.name),
                      .kind = kind_of<Value>(),
                      .value = static_cast<double>(policy.*Member),
                      .domain = row.domain});
      }
    };
    std::apply([&](const auto&... rows) { (add(rows), ...); }, Policy::options);
  }
  for_each_part(kind, policy, [&](std::string_view part_kind, const auto& part) {
    add_options(part_kind, part, to);
  });
}

template <class... Policies>
void add_policies(Types<Policies...>, const char* kind, std::vector<PolicyDescription>& to) {
  const auto add = [&]<class Policy>(std::type_identity<Policy>) {
    PolicyDescription description{.kind = kind, .name = std::string(Policy::name)};
    add_options(kind, Policy{}, description.options);
    to.push_back(std::move(description));
  };
  (add(std::type_identity<Policies>{}), ...);
}

}  // namespace

std::vector<PolicyDescription> compiled_policies() {
  std::vector<PolicyDescription> policies;
  add_policies(all::Backbones{}, "backbone", policies);
  add_policies(all::Losses{}, "loss", policies);
  add_policies(all::Penalties{}, "penalty", policies);
  add_policies(all::Regularizers{}, "regularizer", policies);
  add_policies(all::Initializers{}, "initializer", policies);
  add_policies(all::Optimizers{}, "optimizer", policies);
  add_policies(all::Samplers{}, "sampler", policies);
  return policies;
}

}  // namespace prism::inline PRISM_ISA
