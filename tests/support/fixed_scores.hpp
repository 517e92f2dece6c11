// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <prism/core/matrix.hpp>
#include <prism/policy/output.hpp>
#include <vector>

namespace test {

/// Output rows with scores[u][i] as the score of user u and item i.
struct FixedScores {
  prism::Matrix<float> users, items;
  explicit FixedScores(const std::vector<std::vector<float>>& scores)
      : users(prism::zeros<float>(scores.size(), scores[0].size())),
        items(prism::zeros<float>(scores[0].size(), scores[0].size())) {
    for (std::size_t u = 0; u < scores.size(); ++u) {
      for (std::size_t i = 0; i < scores[u].size(); ++i) users(u, i) = scores[u][i];
    }
    for (std::size_t i = 0; i < scores[0].size(); ++i) items(i, i) = 1;
  }
  prism::Scorer<float> scorer() const {
    return {prism::Embeddings<const float>{prism::rows(users), prism::rows(items)}};
  }
};

}  // namespace test
