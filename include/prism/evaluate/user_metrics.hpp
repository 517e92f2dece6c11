// SPDX-License-Identifier: BSD-3-Clause
// Metrics of each user. Includes nothing that computes.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

/// The metrics of the users' lists of length k: for each metric a number for each user, in the
/// order of RankedLists::users(). Report has the means of all but average_precision, whose mean is
/// MAP.
struct UserMetrics {
  std::size_t k = 0;
  std::vector<double> ndcg{};               ///< gain 1 / log2(rank + 1) of each hit / that of the
                                            ///< ideal list of min(k, relevant items)
  std::vector<double> recall{};             ///< hits / relevant items
  std::vector<double> precision{};          ///< hits / k
  std::vector<double> average_precision{};  ///< sum over hits of the precision at their rank /
                                            ///< relevant items
  std::vector<double> reciprocal_rank{};    ///< 1 / rank of the first hit, 0 without one
  std::vector<double> hit{};                ///< 1 with a hit, 0 without
};

/// The metrics of UserMetrics by name.
inline constexpr std::array<std::pair<const char*, std::vector<double> UserMetrics::*>, 6>
    user_metric_names{{{"ndcg", &UserMetrics::ndcg},
                       {"recall", &UserMetrics::recall},
                       {"precision", &UserMetrics::precision},
                       {"average_precision", &UserMetrics::average_precision},
                       {"reciprocal_rank", &UserMetrics::reciprocal_rank},
                       {"hit", &UserMetrics::hit}}};

/// The area under the ROC curve of each user that has both relevant and other items in its list:
/// the fraction of pairs of a relevant and another item in which the relevant one has the higher
/// score; equal scores count as half.
struct UserAUC {
  std::vector<std::size_t> position{};  ///< of each of these users in RankedLists::users()
  std::vector<double> auc{};            ///< a number for each of these users
};

}  // namespace prism::inline PRISM_ISA
