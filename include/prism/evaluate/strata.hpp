// SPDX-License-Identifier: BSD-3-Clause
// Items by popularity: the most popular 5%, the next 15%, and the rest (the paper).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

enum class Stratum : std::uint8_t { popular, neutral, unpopular };

inline constexpr std::array<std::string_view, 3> stratum_names{"popular", "neutral", "unpopular"};

/// The items, most popular first; of equally popular items the lower id comes first.
[[nodiscard]] inline std::vector<Index> by_popularity(std::span<const Index> popularity) {
  std::vector<Index> order(popularity.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    return popularity[a] != popularity[b] ? popularity[a] > popularity[b] : a < b;
  });
  return order;
}

/// The stratum of every item. The limits, at 5% and 20% of the items, are rounded up; of equally
/// popular items the lower id comes first.
[[nodiscard]] inline std::vector<Stratum> strata(std::span<const Index> popularity) {
  const std::vector<Index> order = by_popularity(popularity);
  const auto cut = [&](std::size_t percent) { return (order.size() * percent + 99) / 100; };
  std::vector<Stratum> stratum(order.size(), Stratum::unpopular);
  for (std::size_t place = 0; place < cut(20); ++place) {
    stratum[order[place]] = place < cut(5) ? Stratum::popular : Stratum::neutral;
  }
  return stratum;
}

}  // namespace prism::inline PRISM_ISA
