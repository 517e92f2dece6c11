// SPDX-License-Identifier: BSD-3-Clause
// Numbers and text as fields of tables, in Markdown and CSV.
#pragma once

#include <algorithm>
#include <cstdio>
#include <prism/experiment/tune.hpp>
#include <string>
#include <vector>

namespace reproduce {

[[nodiscard]] inline std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// The mean of the numbers; empty if there are none.
[[nodiscard]] inline std::string mean_text(const char* format, const prism::Statistic& statistic) {
  return statistic.count == 0 ? "" : number(format, statistic.mean);
}

/// "0.1234 ± 0.0012", or without a deviation for a single number.
[[nodiscard]] inline std::string with_spread(const prism::Statistic& statistic) {
  std::string text = mean_text("%.4f", statistic);
  if (statistic.count > 1) text += " ± " + number("%.4f", statistic.deviation);
  return text;
}

/// " (2 of 3 seeds diverged)"
[[nodiscard]] inline std::string diverged_text(const std::vector<prism::TrialRecord>& runs) {
  const auto diverged =
      std::ranges::count_if(runs, [](const auto& run) { return !run.error.empty(); });
  if (diverged == 0) return "";
  return " (" + std::to_string(diverged) + " of " + std::to_string(runs.size()) +
         " seeds diverged)";
}

/// Text as a CSV field.
[[nodiscard]] inline std::string csv_field(const std::string& text) {
  std::string field(1, '"');
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  field.push_back('"');
  return field;
}

}  // namespace reproduce
