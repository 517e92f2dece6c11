// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <algorithm>
#include <prism/core/error.hpp>
#include <prism/policy/ranking.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "options.hpp"
#include "settings.hpp"

namespace experiment {

namespace {

/// "auto", or numbers from `low` to `high`, each different from the others.
CLI::Validator numbers_or_automatic(double low, double high) {
  const std::string range = prism::format_number(low) + " to " + prism::format_number(high);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        if (text == automatic_ranking) return {};
        std::vector<double> seen;
        // The comma at the end, without which getline would miss an empty last number.
        std::istringstream list(text + ",");
        for (std::string each; std::getline(list, each, ',');) {
          double value = 0;
          const bool read = programs::read_number(each, value);
          if (!read || !(value >= low && value <= high)) {
            return "must be auto, or numbers from " + range + " with commas between them, not '" +
                   text + "'";
          }
          if (std::ranges::count(seen, value) > 0) return "has " + each + " twice";
          seen.push_back(value);
        }
        return {};
      },
      "auto, or from " + range);
}

}  // namespace

void declare_ranking_options(CLI::App& app, Settings& settings) {
  const std::string ranking = "Ranking: items' magnitudes from popularity, after training";
  app.add_option("--rank-power", settings.rank_power,
                 "rank with items' rows of magnitude (d + 1)^power, d the item's number of "
                 "training interactions: 0 ignores it, larger values favour popular items; of "
                 "several values, or of the library's list with auto, each validation takes the "
                 "one that ranks best")
      ->type_name("FLOAT,...")
      ->check(numbers_or_automatic(-prism::Ranking::max_power, prism::Ranking::max_power))
      ->group(ranking);
  app.add_option("--rank-alpha", settings.rank_alpha,
                 "the same with PRISM's magnitude, alpha log(d + 2) + 1 - alpha")
      ->type_name("FLOAT,...")
      ->check(numbers_or_automatic(0, prism::max_prism_alpha))
      ->excludes("--rank-power")
      ->group(ranking);
  app.add_option("--rank-exponent", settings.rank_exponent,
                 "factor beside these: the row's own magnitude, as trained, to this power; "
                 "default: 0 with one of the above, otherwise 1")
      ->check(programs::number_between(-prism::Ranking::max_exponent, prism::Ranking::max_exponent))
      ->group(ranking);
}

}  // namespace experiment
