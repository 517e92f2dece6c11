// SPDX-License-Identifier: BSD-3-Clause
// Items by popularity: the most popular 5%, the next 15%, and the rest (the paper).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"

namespace prism::inline PRISM_ISA {

enum class Stratum : std::uint8_t { popular, neutral, unpopular };

/// Their names, in the order of Stratum.
inline constexpr std::array<std::string_view, 3> stratum_names{"popular", "neutral", "unpopular"};

/// The items, most popular first; of equally popular items the lower id comes first.
[[nodiscard]] PRISM_INLINE std::vector<Index> by_popularity(std::span<const Index> popularity);

/// The stratum of every item. The limits, at 5% and 20% of the items, are rounded up; of equally
/// popular items the lower id comes first.
[[nodiscard]] PRISM_INLINE std::vector<Stratum> strata(std::span<const Index> popularity);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/evaluate/strata.inl.hpp"
#endif
