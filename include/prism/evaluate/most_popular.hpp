// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA {

/// Scores every item by its popularity, for all users alike: a baseline for models. In float,
/// popularities above 2^24 are rounded, so that some may tie; in double they are exact.
///   evaluate(most_popular(split.train), split.test, {.exclude = {&split.train}})
template <class T = float>
[[nodiscard]] Scorer<T> most_popular(const Interactions& train) {
  Matrix<T> users = zeros<T>(train.users(), 1), items = zeros<T>(train.items(), 1);
  users.fill(T{1});
  std::ranges::transform(train.item_degree(), items.begin(),
                         [](Index degree) { return static_cast<T>(degree); });
  return {Output<T>(std::move(users), std::move(items))};
}

}  // namespace prism::inline PRISM_ISA
