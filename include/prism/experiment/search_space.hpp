// SPDX-License-Identifier: BSD-3-Clause
// The search space of tuning: values of hyperparameters by name.
#pragma once

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
[[nodiscard]] PRISM_INLINE std::string label(const Configuration& configuration);

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
  SearchSpace& grid(std::string name, std::vector<double> values);
  /// Drawn log-uniformly from [low, high).
  /// @throws ArgumentError  unless 0 < low < high, both and their ratio finite, or if the name is
  ///     taken
  SearchSpace& log_uniform(std::string name, double low, double high);
  /// Drawn uniformly from [low, high).
  /// @throws ArgumentError  unless low < high, both and their difference finite, or if the name is
  ///     taken
  SearchSpace& uniform(std::string name, double low, double high);

  /// Every combination of the grids' values, the last varying fastest, each with `draws` draws of
  /// the other hyperparameters, or once if there are only grids. A greater `draws` does not change
  /// the first ones.
  /// @throws ArgumentError  if draws is 0
  [[nodiscard]] std::vector<Configuration> configurations(std::size_t draws = 1,
                                                          std::uint64_t seed = 0) const;

  /// The hyperparameters of those names for which `has(name)` is true; their draws stay the same.
  [[nodiscard]] SearchSpace restricted_to(
      const std::function<bool(const std::string& name)>& has) const;

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

  SearchSpace& add(Dimension dimension);

  std::vector<Dimension> dimensions_;
  std::size_t places_ = 0;  // of the whole space
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/experiment/search_space.inl.hpp"
#endif
