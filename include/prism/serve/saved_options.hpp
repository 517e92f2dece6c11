// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's policies and their options as lines of a manifest, and restores them.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/options.hpp"
#include "prism/serve/manifest.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The integer type that an option without a fraction is saved as.
template <class Value>
struct OptionInteger {
  using type = Value;
};
template <class Value>
  requires std::is_enum_v<Value>
struct OptionInteger<Value> {
  using type = std::underlying_type_t<Value>;
};
template <>
struct OptionInteger<bool> {
  using type = unsigned;
};

template <class Value>
[[nodiscard]] std::string option_text(const Value& value) {
  if constexpr (std::floating_point<Value>) {
    return format_number(static_cast<double>(value));
  } else {
    return std::to_string(static_cast<typename OptionInteger<Value>::type>(value));
  }
}

/// Adds "loss: SSM", "loss.tau: 0.2" and so on, for a policy and its parts.
template <class Policy>
void add_options(Manifest& manifest, const std::string& name, const Policy& policy) {
  manifest.add(name, prism::label(policy));
  if constexpr (requires { policy.choice(); }) {
    manifest.add(name + ".choice", std::to_string(policy.choice()));
  }
  for_each_option(policy, [&](std::string_view option, const auto& value) {
    manifest.add(name + "." + std::string(option), option_text(value));
  });
  if constexpr (requires { policy.activation(); }) {
    add_options(manifest, name + ".activation", policy.activation());
  }
  for_each_part("part", policy, [&](std::string_view kind, const auto& part) {
    add_options(manifest, name + "." + std::string(kind), part);
  });
}

/// Reads the value of an option, which must be valid for its type.
template <class Value>
void restore_option(const Manifest& manifest, const std::string& name, Value& value) {
  if constexpr (std::floating_point<Value>) {
    value = static_cast<Value>(manifest.number<double>(name));
  } else {
    const auto saved = manifest.number<typename OptionInteger<Value>::type>(name);
    if (std::is_same_v<Value, bool> && saved > 1) {
      manifest.fail(0, "has " + name + ": " + std::to_string(saved) + ", which is neither 0 nor 1");
    }
    value = static_cast<Value>(saved);
  }
}

/// Sets the options that the manifest has; see check_labels() for the others.
template <class Policy>
void restore_options(const Manifest& manifest, const std::string& name, Policy& policy) {
  if constexpr (requires { policy.choice(); }) {
    if (manifest.find(name + ".choice") != nullptr) {
      const auto choice = manifest.number<std::size_t>(name + ".choice");
      if (choice != policy.choice() && !policy.set_choice(choice)) {
        manifest.fail(0, "has " + name + ".choice: " + std::to_string(choice) +
                             ", but there are fewer policies to choose from");
      }
    }
  }
  for_each_option(policy, [&](std::string_view option, auto& value) {
    const std::string line = name + "." + std::string(option);
    if (manifest.find(line) != nullptr) restore_option(manifest, line, value);
  });
  if constexpr (requires { policy.activation(); }) {
    restore_options(manifest, name + ".activation", policy.activation());
  }
  for_each_part("part", policy, [&](std::string_view kind, auto& part) {
    restore_options(manifest, name + "." + std::string(kind), part);
  });
}

/// Sets a backbone's dimension, if that is a run-time option.
template <class Backbone>
void set_dim(Backbone& backbone, std::size_t dim) {
  if constexpr (requires { backbone.base; }) {
    set_dim(backbone.base, dim);
  } else if constexpr (std::constructible_from<Backbone, std::size_t>) {
    if (backbone.dim() == dim) return;
    if constexpr (requires { backbone.activation(); }) {
      backbone = Backbone(dim, backbone.activation());
    } else {
      backbone = Backbone(dim);
    }
  }
}

/// @param path  of the saved model
/// @throws ArgumentError  if a policy, its type or one of its options is not the saved one
template <class Options>
void check_labels(const Manifest& manifest, const std::string& path, const Options& options) {
  for_each_kind(options, [&](const char* kind, const auto& policy) {
    const std::string& saved = manifest.text(kind);
    require(saved == prism::label(policy), kind,
            "must be " + saved + ", as saved in " + path + ", not " + prism::label(policy));
    Manifest own;
    add_options(own, kind, policy);
    for (const auto& [name, value] : own.lines()) {
      const std::string* const line = manifest.find(name);
      // A policy that is chosen at run time, such as OneRegularizer, has the chosen one's label.
      require(line != nullptr, kind,
              "must have the type with which " + saved + " was saved in " + path +
                  ", where it has no " + name + "; load_scorer() reads models of any type");
      require(*line == value, name.c_str(),
              "must be " + *line + ", as saved in " + path + ", not " + value);
    }
  });
}

}  // namespace prism::inline PRISM_ISA::detail
