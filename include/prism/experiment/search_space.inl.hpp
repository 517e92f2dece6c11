// SPDX-License-Identifier: BSD-3-Clause
// Functions that search_space.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/random.hpp"
#include "prism/experiment/search_space.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE std::string label(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    text += (text.empty() ? "" : ", ") + name + " " + format_number(value);
  }
  return text;
}

PRISM_INLINE SearchSpace& SearchSpace::grid(std::string name, std::vector<double> values) {
  require(!values.empty(), "values", "of " + name + " must not be empty");
  for (const double value : values) {
    require(detail::is_finite(value), "values",
            "of " + name + " must be finite, not " + format_number(value));
    require(std::ranges::count(values, value) == 1, "values",
            "of " + name + " must not contain " + format_number(value) + " twice");
  }
  return add({.name = std::move(name), .values = std::move(values)});
}

PRISM_INLINE SearchSpace& SearchSpace::log_uniform(std::string name, double low, double high) {
  require(detail::is_finite(high), "high",
          "of " + name + " must be finite, not " + format_number(high));
  require(low > 0 && low < high, "low",
          "of " + name + " must be above 0 and below high, not " + format_number(low));
  require(
      detail::is_finite(high / low), "high",
      "of " + name + " must be small enough that high / low is finite, not " + format_number(high));
  return add({.name = std::move(name), .low = low, .high = high, .logarithmic = true});
}

PRISM_INLINE SearchSpace& SearchSpace::uniform(std::string name, double low, double high) {
  require(detail::is_finite(high), "high",
          "of " + name + " must be finite, not " + format_number(high));
  require(detail::is_finite(low) && low < high, "low",
          "of " + name + " must be finite and below high, not " + format_number(low));
  require(
      detail::is_finite(high - low), "high",
      "of " + name + " must be small enough that high - low is finite, not " + format_number(high));
  return add({.name = std::move(name), .low = low, .high = high});
}

PRISM_INLINE std::vector<Configuration> SearchSpace::configurations(std::size_t draws,
                                                                    std::uint64_t seed) const {
  require_at_least_one("draws", draws);
  std::vector<Configuration> all(1);
  bool drawn = false;
  for (const Dimension& dimension : dimensions_) {
    drawn = drawn || dimension.values.empty();
    if (dimension.values.empty()) continue;
    std::vector<Configuration> longer;
    for (const Configuration& begun : all) {
      for (const double value : dimension.values) {
        longer.push_back(begun);
        longer.back().push_back({dimension.name, value});
      }
    }
    all = std::move(longer);
  }
  if (!drawn) return all;
  std::vector<Configuration> filled;
  const Random random(seed, Stream::search);
  constexpr std::size_t max_draws = std::size_t{1} << 24;
  require(draws <= max_draws, "draws", "must be at most " + std::to_string(max_draws));
  for (std::size_t combination = 0; combination < all.size(); ++combination) {
    for (std::size_t draw = 0; draw < draws; ++draw) {
      Configuration configuration = all[combination];
      for (std::size_t d = 0; d < dimensions_.size(); ++d) {
        if (!dimensions_[d].values.empty()) continue;
        const double at =
            random.uniform((combination * max_draws + draw) * places_ + dimensions_[d].place);
        configuration.push_back({dimensions_[d].name, dimensions_[d].at(at)});
      }
      filled.push_back(std::move(configuration));
    }
  }
  return filled;
}

PRISM_INLINE SearchSpace
SearchSpace::restricted_to(const std::function<bool(const std::string& name)>& has) const {
  SearchSpace own;
  own.places_ = places_;
  for (const Dimension& dimension : dimensions_) {
    if (has(dimension.name)) own.dimensions_.push_back(dimension);
  }
  return own;
}

PRISM_INLINE SearchSpace& SearchSpace::add(Dimension dimension) {
  for (const Dimension& other : dimensions_) {
    require(!same_hyperparameter(other.name, dimension.name), "name",
            "must differ from " + other.name + ", which the space already has");
  }
  dimension.place = places_++;
  dimensions_.push_back(std::move(dimension));
  return *this;
}

}  // namespace prism::inline PRISM_ISA
