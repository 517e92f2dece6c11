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
  const CLI::Validator number = examples::number_between(low, high);
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        if (text == automatic_ranking) return {};
        if (text.empty() || text.back() == ',')
          return "must be numbers, or auto, not '" + text + "'";
        std::vector<double> seen;
        std::istringstream list(text);
        for (std::string each; std::getline(list, each, ',');) {
          if (std::string problem = number(each); !problem.empty()) return problem + ", or auto";
          double value = 0;
          (void)examples::read_number(each, value);
          if (std::ranges::count(seen, value) > 0) return "has " + each + " twice";
          seen.push_back(value);
        }
        return {};
      },
      "FLOAT,...|auto");
}

}  // namespace

void declare_ranking_options(CLI::App& app, Settings& settings) {
  const std::string ranking = "Ranking: items' magnitudes from popularity, after training";
  app.add_option("--rank-power", settings.rank_power,
                 "rank with items' rows of magnitude (d + 1)^power, d the training popularity: 0 "
                 "ignores it, larger values favour popular items; of several values, or of the "
                 "library's list with auto, validation chooses one, and training stops by it")
      ->check(numbers_or_automatic(-prism::Ranking::max_power, prism::Ranking::max_power))
      ->group(ranking);
  app.add_option("--rank-alpha", settings.rank_alpha,
                 "the same with PRISM's magnitude, alpha log(d + 2) + 1 - alpha")
      ->check(numbers_or_automatic(0, prism::max_prism_alpha))
      ->excludes("--rank-power")
      ->group(ranking);
  app.add_option("--rank-exponent", settings.rank_exponent,
                 "multiply by the row's own magnitude to this power; default: 0 with one of the "
                 "above, otherwise 1")
      ->check(examples::number_between(-100, 100))
      ->group(ranking);
}

}  // namespace experiment
