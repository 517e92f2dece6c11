// SPDX-License-Identifier: BSD-3-Clause
// The result of evaluate(). Includes nothing that computes, for headers and programs that only read
// the numbers.
#pragma once

#include <array>
#include <cstddef>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// Metrics of the top-k lists: means over users (EvaluateOptions::averaged_users), and statistics
/// of the recommended items.
struct Report {
  std::size_t k = 0;
  std::size_t users = 0;  ///< with at least one relevant item
  double ndcg = 0;        ///< gain 1 / log2(rank + 1); ideal list of min(k, relevant items)
  /// The parts of ndcg from hits in popular, neutral and unpopular items; their sum is ndcg.
  std::array<double, 3> ndcg_by_stratum{};
  double recall = 0;              ///< hits / relevant items (EvaluateOptions::recall_denominator)
  double precision = 0;           ///< hits / k
  double mrr = 0;                 ///< 1 / rank of the first hit, 0 without one
  double hit_rate = 0;            ///< fraction of users with a hit
  double coverage = 0;            ///< fraction of all items that are in at least one list
  double average_popularity = 0;  ///< mean popularity of the recommended items
  double gini = 0;  ///< of items' recommendation counts; 0: all equal, 1 - 1/n: only one of n items
};

}  // namespace prism::inline PRISM_ISA
