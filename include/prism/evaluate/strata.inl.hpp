// SPDX-License-Identifier: BSD-3-Clause
// Functions that strata.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/evaluate/strata.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE std::vector<Index> by_popularity(std::span<const Index> popularity) {
  std::vector<Index> order(popularity.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  return order;
}

PRISM_INLINE std::vector<Stratum> strata(std::span<const Index> popularity) {
  const std::vector<Index> order = by_popularity(popularity);
  const auto cut = [&](std::size_t percent) { return (order.size() * percent + 99) / 100; };
  std::vector<Stratum> stratum(order.size(), Stratum::unpopular);
  for (std::size_t place = 0; place < cut(20); ++place) {
    stratum[order[place]] = place < cut(5) ? Stratum::popular : Stratum::neutral;
  }
  return stratum;
}

}  // namespace prism::inline PRISM_ISA
