// SPDX-License-Identifier: BSD-3-Clause
// Who watches fit. An observer has any of these members, and fit calls those it has (progress.hpp
// is one):
//   void begin(const FitPlan&);  or  void begin(const FitPlan&, const Model&);
//   void batch(const BatchProgress&);
//   void epoch(const EpochRecord&, const Model&);
//   void end(const History&);
#pragma once

#include <cstddef>
#include <string>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// What fit is about to do.
struct FitPlan {
  std::string model;    ///< the policies' names
  std::size_t pairs;    ///< training interactions
  std::size_t epochs;   ///< at most
  std::size_t k;        ///< of the validation's NDCG@k
  bool has_validation;  ///< whether there is a validation part
  double learning_rate;
  std::size_t batch_size;  ///< pairs a step
};

/// How far an epoch is.
struct BatchProgress {
  std::size_t epoch;     ///< from 1
  std::size_t pairs;     ///< done
  std::size_t of_pairs;  ///< in all
  double seconds;        ///< since the epoch began
};

/// Watches and says nothing.
struct Silent {};

}  // namespace prism::inline PRISM_ISA
