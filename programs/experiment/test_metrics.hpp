// SPDX-License-Identifier: BSD-3-Clause
// Results on the test set at several lengths of the lists, and of each user, as JSON.
#pragma once

#include <algorithm>
#include <cstddef>
#include <prism/data/ids.hpp>
#include <prism/evaluate/estimate.hpp>
#include <prism/evaluate/evaluate_options.hpp>
#include <prism/evaluate/user_metrics.hpp>
#include <prism/experiment/json.hpp>
#include <utility>
#include <vector>

#include "run.hpp"
#include "settings.hpp"

namespace experiment {

/// The lengths of lists that a record has results for, ascending: 20, and those of --at.
[[nodiscard]] inline std::vector<std::size_t> lengths(const Settings& settings) {
  std::vector<std::size_t> all = settings.at;
  all.push_back(prism::EvaluateOptions{}.k);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Adds the results on the test set that --at and --user-metrics ask for.
/// @param ids  of the users
inline void add_test_metrics(const Settings& settings, const Run& run, const prism::Ids& ids,
                             prism::Json& json) {
  if (!run.lists) return;
  prism::Json means = prism::Json::array(), user_values = prism::Json::array();
  for (const std::size_t k : lengths(settings)) {
    const prism::UserMetrics users = run.lists->metrics(k);
    prism::Json report = prism::to_json(run.lists->report(k));
    report["map"] = prism::estimate(users.average_precision).mean;
    means.push_back(std::move(report));
    prism::Json& values = user_values.emplace_back(prism::Json{{"k", k}});
    for (const auto& [name, metric] : prism::user_metric_names) values[name] = users.*metric;
  }
  if (!settings.at.empty()) json["test_at"] = std::move(means);
  if (!settings.user_metrics) return;
  prism::Json names = prism::Json::array();
  for (const prism::Index user : run.lists->users()) names.push_back(ids[user]);
  json["test_users"] = {{"users", std::move(names)}, {"at", std::move(user_values)}};
}

}  // namespace experiment
