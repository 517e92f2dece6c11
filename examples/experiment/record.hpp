// SPDX-License-Identifier: BSD-3-Clause
// Results for people, as a table, and for programs, as JSON.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <prism/prism.hpp>
#include <string>
#include <vector>

#include "run.hpp"
#include "settings.hpp"

namespace experiment {

inline void print_table(const std::vector<Run>& runs) {
  std::size_t width = 5;
  for (const Run& run : runs) width = std::max(width, run.name.size());
  const int w = static_cast<int>(width);
  std::printf("\n%-*s  NDCG@20 =  popular + neutral + unpopular  best epoch  seconds  rho\n", w,
              "model");
  for (const Run& run : runs) {
    const auto& [popular, neutral, unpopular] = run.dot.ndcg_by_stratum;
    std::printf("%-*s  %7.5f   %8.5f  %8.5f   %9.5f  %10zu  %7.1f  %5.2f\n", w, run.name.c_str(),
                run.dot.ndcg, popular, neutral, unpopular, run.history.best_epoch,
                run.history.seconds, run.magnitude_popularity_correlation);
  }
  std::printf(
      "\nNDCG@20 on the test part, by dot product, with what hits among the 5%% most popular "
      "items, "
      "the next 15%%\nand the rest contribute; rho: Spearman's correlation of item magnitude with "
      "popularity.\n");
}

inline nlohmann::json to_json(const prism::Report& report) {
  return {{"k", report.k},
          {"users", report.users},
          {"ndcg", report.ndcg},
          {"ndcg_popular", report.ndcg_by_stratum[0]},
          {"ndcg_neutral", report.ndcg_by_stratum[1]},
          {"ndcg_unpopular", report.ndcg_by_stratum[2]},
          {"recall", report.recall},
          {"precision", report.precision},
          {"mrr", report.mrr},
          {"hit_rate", report.hit_rate},
          {"coverage", report.coverage},
          {"average_popularity", report.average_popularity},
          {"gini", report.gini}};
}

inline nlohmann::json to_json(const prism::History& history) {
  nlohmann::json epochs = nlohmann::json::array();
  for (const prism::EpochRecord& epoch : history.epochs) {
    epochs.push_back({{"epoch", epoch.epoch},
                      {"loss", epoch.loss},
                      {"validation_ndcg", epoch.validation_ndcg},
                      {"train_seconds", epoch.train_seconds},
                      {"validate_seconds", epoch.validate_seconds}});
  }
  return {{"best_epoch", history.best_epoch},
          {"best_validation_ndcg", history.best_validation_ndcg},
          {"stopped_early", history.stopped_early},
          {"seconds", history.seconds},
          {"epochs", epochs}};
}

inline nlohmann::json to_json(const Run& run) {
  return {{"model", run.name},
          {"backbone", run.choice.backbone},
          {"loss", run.choice.loss},
          {"regularizer", run.choice.regularizer},
          {"initializer", run.choice.initializer},
          {"history", to_json(run.history)},
          {"test_by_dot", to_json(run.dot)},
          {"test_by_cosine", to_json(run.cosine)},
          {"magnitude_popularity_spearman", run.magnitude_popularity_correlation}};
}

inline nlohmann::json to_json(const Settings& settings) {
  nlohmann::json json = {{"data", settings.data.empty() ? "synthetic" : settings.data},
                         {"test", nullptr},
                         {"format", settings.format},
                         {"min_rating", nullptr},
                         {"alpha", settings.alpha},
                         {"lambda", settings.lambda},
                         {"gamma", settings.gamma},
                         {"dim", settings.dim},
                         {"learning_rate", settings.learning_rate},
                         {"batch", settings.batch},
                         {"epochs", settings.epochs},
                         {"patience", settings.patience},
                         {"seed", settings.seed},
                         {"threads", nullptr}};
  if (!settings.test.empty()) json["test"] = settings.test;
  if (settings.min_rating) json["min_rating"] = *settings.min_rating;
  if (settings.threads) json["threads"] = *settings.threads;
  return json;
}

/// Writes the record of an experiment whole, or not at all.
inline void write_json(const Settings& settings, const prism::Split& split,
                       const std::vector<Run>& runs) {
  nlohmann::json record = {{"prism", PRISM_VERSION},
                           {"settings", to_json(settings)},
                           {"data",
                            {{"users", split.train.users()},
                             {"items", split.train.items()},
                             {"train", split.train.size()},
                             {"validation", split.validation.size()},
                             {"test", split.test.size()}}},
                           {"runs", nlohmann::json::array()}};
  for (const Run& run : runs) record["runs"].push_back(to_json(run));
  const std::string partial = settings.json + ".partial";
  std::ofstream file(partial);
  file << record.dump(1) << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, settings.json, error);
  if (!file || error) {
    std::filesystem::remove(partial, error);
    throw prism::DataError(settings.json, 0, "cannot be written");
  }
}

}  // namespace experiment
