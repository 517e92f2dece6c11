// SPDX-License-Identifier: BSD-3-Clause
// The weights that a model begins with, and what is checked before it has any.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Checks before training that every row gets a magnitude.
/// @throws ArgumentError  for a member outside its domain, or a magnitude that is not finite or 0
template <class T>
void check_magnitudes(const Ranking& ranking, const Interactions& train) {
  ranking.check();
  const Interactions& on_host = train.on_host();
  static_cast<void>(magnitudes_for<T>(ranking, on_host.item_degree()));
  if (ranking.users) static_cast<void>(magnitudes_for<T>(ranking, on_host.user_degree()));
}

/// The tables and States as the policies initialise them.
/// @param options  Recommender::Options; @tparam Weights  Recommender::Weights
/// @throws ArgumentError  as the constructor of Recommender
template <class Weights, class T, class X, class Options>
[[nodiscard]] Weights initial_weights(const X& exec, const Options& options,
                                      const Interactions& train) {
  require(!train.empty(), "train", "has no interactions to learn from");
  require(device_memory(train.memory()) == nullptr, "train",
          "must be in the host's memory; pass train.on_host()");
  require(device_memory(options.memory) == nullptr, "memory",
          "must be the host's memory: training on a device copies the model there, and "
          "Recommender(model, memory) makes a copy in a device's memory");
  const std::size_t dim = options.backbone.dim();
  require(dim >= 1, "dim", "an embedding's dimension must be at least 1, not 0");
  constexpr std::size_t max_dim = std::size_t{1} << 20;
  require(dim <= max_dim, "dim",
          "an embedding's dimension must be at most " + std::to_string(max_dim) + ", not " +
              std::to_string(dim));
  options.for_each_policy([](const auto& policy) { check_options(policy); });
  check_magnitudes<T>(options.ranking, train);
  StateContext context{train, dim, options.seed, Stream::backbone, options.memory};
  auto backbone = make_state<T>(options.backbone, context);
  context.dim = output_dim(options.backbone);
  context.stream = Stream::loss;
  Weights weights{zeros<T>(train.users(), dim, options.memory),
                  zeros<T>(train.items(), dim, options.memory), std::move(backbone),
                  make_state<T>(options.loss, context)};
  options.initializer(exec, rows(weights.users), train.user_degree(),
                      Random(options.seed, Stream::users));
  options.initializer(exec, rows(weights.items), train.item_degree(),
                      Random(options.seed, Stream::items));
  return weights;
}

}  // namespace prism::inline PRISM_ISA::detail
