// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "experiment/candidates.hpp"

namespace reproduce {

Runner::Runner(RunnerOptions options) : options_(std::move(options)), records_(options_.records) {}

std::filesystem::path Runner::file(const DataSet& data) const {
  return options_.data / data.name / data.file;
}

bool Runner::has(const DataSet& data) const { return std::filesystem::exists(file(data)); }

const experiment::Data& Runner::split(const experiment::Settings& settings, const DataSet& data,
                                      std::uint64_t seed) {
  const auto key = std::make_tuple(data.name, settings.min_rating.has_value(), settings.test_column,
                                   settings.test_part, seed);
  const auto found = splits_.find(key);
  if (found != splits_.end()) return found->second;
  experiment::Settings of_seed = settings;
  of_seed.data = file(data).string();
  of_seed.seed = seed;
  return splits_.emplace(key, experiment::shared(experiment::load(of_seed))).first->second;
}

std::vector<prism::Candidate> Runner::candidates(const experiment::Settings& settings,
                                                 const experiment::ModelChoice& model,
                                                 const DataSet& data, const std::string& group) {
  return experiment::candidates(
      settings, model, group, [ this, settings, data ](std::uint64_t seed) -> const auto& {
        return split(settings, data, seed);
      });
}

CellResult Runner::run(const Cell& cell) {
  experiment::Settings settings = cell_settings(cell);
  settings.device = options_.device;
  auto all =
      candidates(settings, {cell.backbone, cell.loss, "FullWD", "Xavier"}, cell.data, "decay");
  for (prism::Candidate& candidate :
       candidates(settings, {cell.backbone, cell.loss, "None", "PRISM"}, cell.data, "PRISM")) {
    all.push_back(std::move(candidate));
  }
  const auto tuned = prism::tune(all, records_,
                                 {.seeds = options_.seeds,
                                  .first_epochs = options_.first_epochs,
                                  .halve_within = "lr",
                                  .queue = options_.queue});
  return {.cell = cell, .decay = tuned[0], .prism = tuned[1]};
}

NegativesResult Runner::run(const NegativesCell& cell) {
  experiment::Settings settings = cell_settings(cell);
  settings.device = options_.device;
  std::vector<prism::Candidate> all;
  for (const char* initializer : {"Xavier", "PRISM"}) {
    const experiment::ModelChoice model{settings.backbone, cell.loss, "None", initializer};
    for (prism::Candidate& each : candidates(settings, model, cell.benchmark.data, initializer)) {
      all.push_back(std::move(each));
    }
  }
  constexpr std::size_t first_epochs = 10;  // they are over after a third of Table 1's epochs
  const auto tuned = prism::tune(all, records_,
                                 {.seeds = options_.seeds,
                                  .first_epochs = std::min(first_epochs, options_.first_epochs),
                                  .halve_within = "lr",
                                  .retrain = true,
                                  .queue = options_.queue});
  return {.cell = cell, .xavier = tuned[0], .prism = tuned[1]};
}

FigureResult Runner::run(const Figure& figure, const DataSet& data) {
  FigureResult result{.figure = figure};
  std::vector<prism::TrialSpec> trials;
  for (const Series& series : figure.series) {
    experiment::Settings settings = series_settings(series, data);
    settings.device = options_.device;
    if (!series.values.empty()) settings.lists[figure.parameter] = series.values;
    SeriesResult of_series{.series = series};
    for (const prism::Candidate& candidate : candidates(settings, series.model, data, "")) {
      const double none = std::numeric_limits<double>::quiet_NaN();
      of_series.points.push_back(
          {series.values.empty() ? none : candidate.configuration.front().value});
      for (const std::uint64_t seed : options_.seeds) trials.push_back(candidate.trial(seed));
    }
    result.series.push_back(std::move(of_series));
  }
  constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();
  prism::run_trials(trials, to_the_end, records_, options_.queue);
  result.total = trials.size();
  std::size_t next = 0;
  for (SeriesResult& series : result.series) {
    for (SeriesPoint& point : series.points) {
      for (std::size_t s = 0; s < options_.seeds.size(); ++s) {
        auto record = records_.find(trials[next++].key);
        if (!record || !record->finished) continue;
        ++result.done;
        point.runs.push_back(std::move(*record));
      }
    }
  }
  return result;
}

}  // namespace reproduce
