// SPDX-License-Identifier: BSD-3-Clause
// The policies that a ModelSpec may name, as data.
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/models/describe_options.hpp"
#include "prism/models/make_model.hpp"
#include "prism/models/policies.hpp"
#include "prism/models/types.hpp"

namespace prism::inline PRISM_ISA {

namespace {

template <class... Policies>
void add_policies(Types<Policies...>, const char* kind, std::vector<PolicyDescription>& to) {
  const auto add = [&]<class Policy>(std::type_identity<Policy>) {
    PolicyDescription description{.kind = kind, .name = std::string(Policy::name)};
    describe_options(kind, Policy{}, description.options);
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
