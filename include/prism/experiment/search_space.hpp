// SPDX-License-Identifier: BSD-3-Clause
// The search space of tuning: values of hyperparameters by name.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/random.hpp"

namespace prism::inline PRISM_ISA {

/// The name of a hyperparameter, see hyperparameters.hpp, and its value.
struct Hyperparameter {
  std::string name;
  double value;

  friend bool operator==(const Hyperparameter&, const Hyperparameter&) = default;
};

/// One point of a search space.
using Configuration = std::vector<Hyperparameter>;

/// "learning_rate 0.01, lambda 1e-06"
[[nodiscard]] inline std::string label(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration) {
    text += (text.empty() ? "" : ", ") + name + " " + format_number(value);
  }
  return text;
}

/// Whether two names mean the same hyperparameter: "learning_rate" and "fit.learning_rate".
[[nodiscard]] inline bool same_hyperparameter(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '.');
}

/// SearchSpace().grid("learning_rate", {0.1, 0.01, 0.001}).log_uniform("lambda", 1e-9, 1e-3)
class SearchSpace {
 public:
  /// @throws ArgumentError  if `values` is empty, has a duplicate or a number that is not finite,
  ///     or if the name is taken
  SearchSpace& grid(std::string name, std::vector<double> values) {
    require(!values.empty(), "values", "of " + name + " must not be empty");
    for (const double value : values) {
      require(is_finite(value), "values",
              "of " + name + " must be finite, not " + format_number(value));
      require(std::ranges::count(values, value) == 1, "values",
              "of " + name + " must not contain " + format_number(value) + " twice");
    }
    return add({.name = std::move(name), .values = std::move(values)});
  }
  /// Drawn log-uniformly from [low, high).
  /// @throws ArgumentError  unless 0 < low < high, both and their ratio finite, or if the name is
  ///     taken
  SearchSpace& log_uniform(std::string name, double low, double high) {
    require(is_finite(high), "high", "of " + name + " must be finite, not " + format_number(high));
    require(low > 0 && low < high, "low",
            "of " + name + " must be above 0 and below high, not " + format_number(low));
    require(is_finite(high / low), "high",
            "of " + name + " must be small enough that high / low is finite, not " +
                format_number(high));
    return add({.name = std::move(name), .low = low, .high = high, .logarithmic = true});
  }
  /// Drawn uniformly from [low, high).
  /// @throws ArgumentError  unless low < high, both and their difference finite, or if the name is
  ///     taken
  SearchSpace& uniform(std::string name, double low, double high) {
    require(is_finite(high), "high", "of " + name + " must be finite, not " + format_number(high));
    require(is_finite(low) && low < high, "low",
            "of " + name + " must be finite and below high, not " + format_number(low));
    require(is_finite(high - low), "high",
            "of " + name + " must be small enough that high - low is finite, not " +
                format_number(high));
    return add({.name = std::move(name), .low = low, .high = high});
  }

  /// Every combination of the grids' values, the last varying fastest, each with `draws` draws of
  /// the other hyperparameters, or once if there are only grids. A greater `draws` does not change
  /// the first ones.
  /// @throws ArgumentError  if draws is 0
  [[nodiscard]] std::vector<Configuration> configurations(std::size_t draws = 1,
                                                          std::uint64_t seed = 0) const {
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

  /// The hyperparameters of those names for which `has(name)` is true; their draws stay the same.
  [[nodiscard]] SearchSpace restricted_to(
      const std::function<bool(const std::string& name)>& has) const {
    SearchSpace own;
    own.places_ = places_;
    for (const Dimension& dimension : dimensions_) {
      if (has(dimension.name)) own.dimensions_.push_back(dimension);
    }
    return own;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Dimension& dimension : dimensions_) all.push_back(dimension.name);
    return all;
  }

 private:
  struct Dimension {
    std::string name{};
    std::vector<double> values{};  // of a grid; empty if drawn
    double low = 0, high = 0;
    bool logarithmic = false;
    std::size_t place = 0;  // in the whole space

    [[nodiscard]] double at(double fraction) const {
      return logarithmic ? low * std::pow(high / low, fraction) : low + (high - low) * fraction;
    }
  };

  SearchSpace& add(Dimension dimension) {
    for (const Dimension& other : dimensions_) {
      require(!same_hyperparameter(other.name, dimension.name), "name",
              "must differ from " + other.name + ", which the space already has");
    }
    dimension.place = places_++;
    dimensions_.push_back(std::move(dimension));
    return *this;
  }

  std::vector<Dimension> dimensions_;
  std::size_t places_ = 0;  // of the whole space
};

}  // namespace prism::inline PRISM_ISA
