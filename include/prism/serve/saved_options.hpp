// SPDX-License-Identifier: BSD-3-Clause
// A model's policies and their options as lines of a manifest, and back.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/options.hpp"
#include "prism/serve/manifest.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Calls visit(kind, policy) for each policy of a model's options.
template <class Options, class Visit>
void for_each_kind(Options& options, const Visit& visit) {
  visit("backbone", options.backbone);
  visit("loss", options.loss);
  visit("regularizer", options.regularizer);
  visit("initializer", options.initializer);
  visit("optimizer", options.optimizer);
  visit("sampler", options.sampler);
}

/// Adds "loss: SSM", "loss.tau: 0.2" and so on, for a policy and those it is made of.
template <class Policy>
void add_options(Manifest& manifest, const std::string& name, const Policy& policy) {
  manifest.add(name, label(policy));
  if constexpr (requires { policy.choice(); }) {
    manifest.add(name + ".choice", std::to_string(policy.choice()));
  }
  for_each_option(policy, [&](std::string_view option, const auto& value) {
    manifest.add(name + "." + std::string(option), format_number(static_cast<double>(value)));
  });
  for_each_part("part", policy, [&](std::string_view kind, const auto& part) {
    add_options(manifest, name + "." + std::string(kind), part);
  });
}

/// The value of an option; it must be one that its type has.
template <class Value>
void restore_option(const Manifest& manifest, const std::string& name, Value& value) {
  const auto saved = manifest.number<double>(name);
  if constexpr (std::floating_point<Value>) {
    value = static_cast<Value>(saved);
  } else {
    constexpr double largest = std::is_same_v<Value, bool> ? 1 : 0x1p53;
    const bool whole = saved >= 0 && saved <= largest && std::trunc(saved) == saved;
    if (!whole)
      manifest.fail(0, "has " + name + ": " + format_number(saved) +
                           ", which is not a value that belongs there");
    value = static_cast<Value>(static_cast<std::uint64_t>(saved));
  }
}

/// Sets the options that the manifest has; see check_labels() for the others.
template <class Policy>
void restore_options(const Manifest& manifest, const std::string& name, Policy& policy) {
  if constexpr (requires { policy.choice(); }) {
    if (manifest.find(name + ".choice") != nullptr) {
      const auto choice = manifest.number<std::size_t>(name + ".choice");
      if (!policy.set_choice(choice)) {
        manifest.fail(0, "has " + name + ".choice: " + std::to_string(choice) +
                             ", where there are fewer policies to choose among");
      }
    }
  }
  for_each_option(policy, [&](std::string_view option, auto& value) {
    const std::string line = name + "." + std::string(option);
    if (manifest.find(line) != nullptr) restore_option(manifest, line, value);
  });
  for_each_part("part", policy, [&](std::string_view kind, auto& part) {
    restore_options(manifest, name + "." + std::string(kind), part);
  });
}

/// A backbone of another dimension, where that is a run-time option.
template <class Backbone>
void set_dim(Backbone& backbone, std::size_t dim) {
  if constexpr (requires { backbone.base; }) {
    set_dim(backbone.base, dim);
  } else if constexpr (std::constructible_from<Backbone, std::size_t>) {
    if (backbone.dim() != dim) backbone = Backbone(dim);
  }
}

/// @param path  of the saved model
/// @throws ArgumentError  where a policy is not the saved one, options included
template <class Options>
void check_labels(const Manifest& manifest, const std::string& path, const Options& options) {
  for_each_kind(options, [&](const char* kind, const auto& policy) {
    const std::string& saved = manifest.text(kind);
    require(saved == label(policy), kind,
            "must be what " + path + " was saved with, " + saved + ", not " + label(policy));
    Manifest own;
    add_options(own, kind, policy);
    for (const auto& [name, value] : own.lines()) {
      const std::string* const line = manifest.find(name);
      if (line == nullptr) manifest.fail(0, "has no line " + name);
      require(*line == value, name.c_str(),
              "must be what " + path + " was saved with, " + *line + ", not " + value);
    }
  });
}

}  // namespace prism::inline PRISM_ISA::detail
