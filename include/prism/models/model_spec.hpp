// SPDX-License-Identifier: BSD-3-Clause
// A model in words and numbers, for programs whose policies are chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

/// An option of a policy: {"loss.tau", 0.1}, or {"tau", 0.1} where only one policy has it. A bool
/// is 0 or 1, an enumeration the position of its enumerator. Unlike a Hyperparameter, it is never
/// one of training.
struct PolicyOption {
  std::string name;
  double value;
};

/// The names of a model's policies and their options; compiled_policies() lists them. An option
/// that is not given has its default.
struct ModelSpec {
  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::string penalty{};  ///< empty: none
  std::string regularizer = "None";
  std::string initializer = "Xavier";
  std::string optimizer = "Adam";
  std::string sampler = "UniformNegatives";
  std::size_t dim = 64;             ///< of the embeddings
  std::string activation = "ReLU";  ///< of MLP; or "Identity"
  double dropout = 0;               ///< rate, on the backbone's output rows in training
  /// Policies start from the options that they have in the paper's published code. For the rest of
  /// that preset (prism/models/released.hpp) set activation "Identity", sampler "InBatchNegatives"
  /// and Shuffle::once.
  bool released = false;
  std::vector<PolicyOption> options{};  ///< of the policies
  Ranking ranking{};
  std::uint64_t seed = 123;
};

}  // namespace prism::inline PRISM_ISA
