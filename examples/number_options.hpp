// SPDX-License-Identifier: BSD-3-Clause
// What the numbers on a command line may be.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace examples {

/// A finite number of at least (or, if strictly, above) `low`; CLI::Range accepts infinity and NaN.
inline CLI::Validator number_from(double low, bool strictly) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool read = CLI::detail::lexical_cast(text, value);
        if (read && std::isfinite(value) && (strictly ? value > low : value >= low)) return {};
        return "must be a finite number " + std::string(strictly ? "above " : "of at least ") +
               CLI::detail::to_string(low) + ", not " + text;
      },
      strictly ? "NUMBER > " + CLI::detail::to_string(low)
               : "NUMBER >= " + CLI::detail::to_string(low));
}

/// A number from `low` to `high`.
inline CLI::Validator number_between(double low, double high) {
  return number_from(low, false) & CLI::Range(low, high);
}

/// Reads a whole number as decimal, where CLI11 takes a leading zero for octal.
inline CLI::Validator decimal() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && !text.empty()) {
          text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
        }
        return {};
      },
      "");
}

}  // namespace examples
