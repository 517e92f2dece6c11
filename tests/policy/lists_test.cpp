// SPDX-License-Identifier: BSD-3-Clause
// Every policy is tested: each policy with a header is in the library's lists, and tests run over
// these lists.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include "policy/gradient_law.hpp"

using namespace prism;

namespace {

/// The names of the policies in the headers of a folder.
std::set<std::string> named_in(const char* folder) {
  std::set<std::string> found;
  const std::string before = "std::string_view name = \"";
  const auto root = std::filesystem::path(PRISM_SOURCE_DIR) / "include/prism" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
      at += before.size();
      found.insert(text.substr(at, text.find('"', at) - at));
    }
  }
  return found;
}

template <class List>
std::set<std::string> listed(List list) {
  const auto all = names(list);
  return {all.begin(), all.end()};
}

/// A member of an aggregate, whatever its type.
struct AnyMember {
  template <class T>
  operator T() const;
};
template <class Aggregate, class... Members>
consteval std::size_t members() {
  if constexpr (requires { Aggregate{Members{}..., AnyMember{}}; }) {
    return members<Aggregate, Members..., AnyMember>();
  } else {
    return sizeof...(Members);
  }
}

/// Checks that each member of a policy is a named option or a policy that it is composed of.
template <class Policy>
void check_options(std::type_identity<Policy>) {
  Policy policy{};
  std::size_t named = 0;
  for_each_option(policy, [&](std::string_view, auto&) { ++named; });
  for_each_part("", policy, [&](std::string_view, auto&) { ++named; });
  INFO(std::string(Policy::name));
  CHECK(named == members<Policy>());
}
template <class... Policies>
void check_options(Types<Policies...>) {
  (check_options(std::type_identity<Policies>{}), ...);
}

}  // namespace

// Otherwise trials, checkpoints and saved models would confuse two different policies.
TEST_CASE("every option of a policy is seen by name") {
  check_options(all::Losses{});
  check_options(all::Penalties{});
  check_options(all::Regularizers{});
  check_options(all::Initializers{});
  check_options(all::Optimizers{});
  check_options(all::Samplers{});
}

TEST_CASE("every policy with a header is in its list") {
  std::set<std::string> backbones = named_in("backbone");
  for (const char* activation : {"ReLU", "Identity", "MyActivation"}) backbones.erase(activation);
  backbones.erase("Dropout");  // of another backbone
  std::set<std::string> penalties = named_in("penalty");
  penalties.erase("Penalized");
  CHECK(backbones == listed(all::Backbones{}));
  CHECK(named_in("loss") == listed(all::Losses{}));
  CHECK(penalties == listed(all::Penalties{}));
  CHECK(named_in("regularizer") == listed(all::Regularizers{}));
  CHECK(named_in("initializer") == listed(all::Initializers{}));
  CHECK(named_in("optimizer") == listed(all::Optimizers{}));
  // The names of SharedNegatives<...> are made of those of other samplers.
  std::set<std::string> samplers = listed(all::Samplers{});
  std::erase_if(samplers, [](const std::string& name) { return name.starts_with("Shared"); });
  CHECK(named_in("sampler") == samplers);
}

TEST_CASE("the gradients of every backbone in the list are checked") {
  CHECK(test::backbones_under_the_law() == listed(all::Backbones{}));
}
