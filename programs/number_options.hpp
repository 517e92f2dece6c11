// SPDX-License-Identifier: BSD-3-Clause
// Validators of the numbers on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <prism/core/error.hpp>
#include <string>

namespace programs {

/// Whether the whole text is a number.
inline bool read_number(const std::string& text, double& number) {
  char* end = nullptr;
  number = std::strtod(text.c_str(), &end);
  return end != text.c_str() && *end == '\0';
}

/// A finite number, at least `low` or, if `strictly`, above it; CLI::Range accepts infinity and
/// NaN.
inline CLI::Validator number_from(double low, bool strictly) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool read = read_number(text, value);
        if (read && std::isfinite(value) && (strictly ? value > low : value >= low)) return {};
        return "must be a finite number " + std::string(strictly ? "above " : "of at least ") +
               prism::format_number(low) + ", not " + text;
      },
      strictly ? "NUMBER > " + prism::format_number(low)
               : "NUMBER >= " + prism::format_number(low));
}

/// A number from `low` to `high`.
inline CLI::Validator number_between(double low, double high) {
  const std::string range = prism::format_number(low) + " to " + prism::format_number(high);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool read = read_number(text, value);
        if (read && value >= low && value <= high) return {};
        return "must be a number from " + range + ", not " + text;
      },
      "NUMBER from " + range);
}

/// Makes every option that takes whole numbers read decimals, where CLI11 reads a leading zero as
/// octal. Unsigned ones also refuse numbers below 0 or too large, which CLI11 takes modulo 2^64.
/// Call this after the options are declared.
inline void read_whole_numbers(CLI::App& app) {
  const auto without_zeros = [](std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    if (digits) text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    return digits;
  };
  const CLI::Validator decimal(
      [=](std::string& text) -> std::string {
        (void)without_zeros(text);
        return {};
      },
      "");
  const CLI::Validator decimal_from_0(
      [=](std::string& text) -> std::string {
        static const std::string most = std::to_string(std::numeric_limits<std::uint64_t>::max());
        if (!without_zeros(text)) return "must be an integer of at least 0, not " + text;
        if (text.size() < most.size() || (text.size() == most.size() && text <= most)) return {};
        return "must be at most " + most + ", not " + text;
      },
      "");
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.find("UINT") != std::string::npos) {
      option->transform(decimal_from_0);
    } else if (type.find("INT") != std::string::npos) {
      option->transform(decimal);
    }
  }
}

}  // namespace programs
