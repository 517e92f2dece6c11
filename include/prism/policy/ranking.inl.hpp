// SPDX-License-Identifier: BSD-3-Clause
// Functions that ranking.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/prism_alpha.hpp"
#include "prism/policy/ranking.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE void Ranking::check() const {
  const auto check_power = [](double value) {
    require(detail::is_finite(value) && value >= -max_power && value <= max_power, "power",
            "must be from " + format_number(-max_power) + " to " + format_number(max_power) +
                ", not " + format_number(value));
  };
  if (alpha) check_prism_alpha(*alpha);
  if (power) check_power(*power);
  if (exponent) {
    require(detail::is_finite(*exponent) && std::abs(*exponent) <= max_exponent, "exponent",
            "must be from " + format_number(-max_exponent) + " to " + format_number(max_exponent) +
                ", not " + format_number(*exponent));
  }
  const int given = (alpha || !alphas.empty() ? 1 : 0) + (power || !powers.empty() ? 1 : 0) +
                    (magnitude ? 1 : 0) + (magnitudes.empty() ? 0 : 1);
  require(given <= 1, "ranking",
          "must have only one of alpha (or alphas), power (or powers), magnitude and magnitudes");
  for (const double each : alphas) check_prism_alpha(each);
  for (const double each : powers) check_power(each);
  const auto check_order = [](const char* name, const std::vector<double>& values) {
    require(std::ranges::is_sorted(values, std::ranges::less_equal{}), name,
            "must be ascending, each different from the others");
  };
  check_order("alphas", alphas);
  check_order("powers", powers);
  for (std::size_t item = 0; item < magnitudes.size(); ++item) {
    const double each = magnitudes[item];
    if (detail::is_finite(each) && each > 0) continue;  // no text for each of many numbers
    throw ArgumentError("magnitudes", "must be finite and above 0, not " + format_number(each) +
                                          " for item " + std::to_string(item));
  }
  require(!users || magnitudes.empty(), "users",
          "cannot be set with `magnitudes`, which are those of items; give a function of "
          "popularity instead");
}

PRISM_INLINE std::string Ranking::label() const {
  if (is_default()) return "as trained";
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!text.empty()) text += ", ";
    text += part;
  };
  const auto add_number = [&](const std::string& name, const std::optional<double>& value) {
    if (value) add(name + ' ' + format_number(*value));
  };
  add_number("alpha", alpha);
  add_number("power", power);
  if (chooses()) {
    std::string list = std::string(powers.empty() ? "alpha" : "power") + " by validation from";
    for (const double each : choices()) list.append(" ").append(format_number(each));
    add(list);
  }
  if (magnitude) add("own function");
  if (!magnitudes.empty()) add("own magnitudes");
  add_number("exponent", exponent);
  if (users) add("users too");
  return text;
}

PRISM_INLINE std::string Ranking::name() const {
  std::string text = chooses() ? with_choice({}).label() : label();
  const std::size_t list = text.find(" from ");
  if (list != std::string::npos)
    text.erase(list, std::min(text.find(',', list), text.size()) - list);
  return text;
}

}  // namespace prism::inline PRISM_ISA
