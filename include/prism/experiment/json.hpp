// SPDX-License-Identifier: BSD-3-Clause
// Results as JSON. Needs nlohmann-json, so prism.hpp does not include it.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/training/history.hpp"

namespace prism::inline PRISM_ISA {

using Json = nlohmann::ordered_json;

namespace detail {

/// The numbers of a report by name, except NDCG by stratum.
inline constexpr std::array<std::pair<const char*, double Report::*>, 8> report_numbers{{
    {"ndcg", &Report::ndcg},
    {"recall", &Report::recall},
    {"precision", &Report::precision},
    {"mrr", &Report::mrr},
    {"hit_rate", &Report::hit_rate},
    {"coverage", &Report::coverage},
    {"average_popularity", &Report::average_popularity},
    {"gini", &Report::gini},
}};
inline constexpr std::array<const char*, 3> stratum_names{"ndcg_popular", "ndcg_neutral",
                                                          "ndcg_unpopular"};

}  // namespace detail

[[nodiscard]] inline Json to_json(const Report& report) {
  Json json{{"k", report.k}, {"users", report.users}};
  for (const auto& [name, number] : detail::report_numbers) json[name] = report.*number;
  for (std::size_t s = 0; s < detail::stratum_names.size(); ++s) {
    json[detail::stratum_names[s]] = report.ndcg_by_stratum[s];
  }
  return json;
}
/// Returns a number, and NaN for null, which stands for numbers that are not finite in JSON.
[[nodiscard]] inline double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

/// @throws nlohmann::json::exception  if a number is missing
[[nodiscard]] inline Report report_of(const Json& json) {
  Report report{.k = json.at("k"), .users = json.at("users")};
  for (const auto& [name, number] : detail::report_numbers)
    report.*number = number_of(json.at(name));
  for (std::size_t s = 0; s < detail::stratum_names.size(); ++s) {
    report.ndcg_by_stratum[s] = number_of(json.at(detail::stratum_names[s]));
  }
  return report;
}

[[nodiscard]] inline Json to_json(const Configuration& configuration) {
  Json json = Json::object();
  for (const auto& [name, value] : configuration) json[name] = value;
  return json;
}

[[nodiscard]] inline Json to_json(const TrialReport& report) {
  Json magnitudes = Json::array();
  for (const MagnitudeBin& bin : report.magnitudes) {
    magnitudes.push_back({bin.items, bin.popularity, bin.magnitude});
  }
  return {{"dot", to_json(report.dot)},
          {"cosine", to_json(report.cosine)},
          {"magnitude_popularity_spearman", report.magnitude_popularity_correlation},
          {"magnitudes", std::move(magnitudes)}};
}
/// @throws nlohmann::json::exception  if something is missing
[[nodiscard]] inline TrialReport trial_report_of(const Json& json) {
  TrialReport report{
      .dot = report_of(json.at("dot")),
      .cosine = report_of(json.at("cosine")),
      .magnitude_popularity_correlation = number_of(json.at("magnitude_popularity_spearman"))};
  for (const Json& bin : json.at("magnitudes")) {
    report.magnitudes.push_back({bin.at(0), number_of(bin.at(1)), number_of(bin.at(2))});
  }
  return report;
}

}  // namespace prism::inline PRISM_ISA
