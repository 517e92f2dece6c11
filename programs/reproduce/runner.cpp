// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "experiment/candidates.hpp"

namespace reproduce {

namespace {

/// If some seeds have a run for every point, keeps only those: the seed also draws the split, and
/// points are compared with each other.
void keep_common_seeds(FigureResult& result) {
  std::map<std::uint64_t, std::size_t> points_with;  // by seed
  std::size_t points = 0;
  for (const SeriesResult& series : result.series) {
    points += series.points.size();
    for (const SeriesPoint& point : series.points) {
      for (const prism::TrialRecord& run : point.runs) ++points_with[run.seed];
    }
  }
  std::erase_if(points_with, [=](const auto& seed) { return seed.second < points; });
  if (points_with.empty()) return;
  for (SeriesResult& series : result.series) {
    for (SeriesPoint& point : series.points) {
      std::erase_if(point.runs, [&](const auto& run) { return !points_with.contains(run.seed); });
    }
  }
}

std::vector<Search> searches_of(const Cell& cell) {
  const experiment::Settings settings = cell_settings(cell);
  experiment::Settings of_prism = settings;
  if (trains_all_of_prism(cell)) of_prism.first_epochs = 0;
  std::vector<Search> searches{{settings, {cell.backbone, cell.loss, "FullWD", "Xavier"}},
                               {of_prism, {cell.backbone, cell.loss, "None", "PRISM"}}};
  if (cell.protocol == Protocol::transferred) return searches;
  experiment::Settings after = settings;
  after.lists["lr"] = {rate_after_training};
  // Which gamma is best does not show after ten epochs, and there are only three candidates.
  if (cell.loss == "DirectAU") after.first_epochs = 0;
  searches.push_back(
      {after, {cell.backbone, cell.loss, "None", "Xavier", prism::power_by_validation()}});
  return searches;
}

/// Reduces each list of several values to the value that was chosen elsewhere.
void keep_chosen(experiment::Settings& settings, const prism::Configuration& chosen) {
  for (auto& [name, values] : settings.lists) {
    const auto found = std::ranges::find(chosen, name, &prism::Hyperparameter::name);
    if (values.size() > 1 && found != chosen.end()) values = {found->value};
  }
}

}  // namespace

std::string CellResult::note() const {
  if (!waits_for.empty()) return "waits for " + waits_for;
  if (!complete() || on_record()) return "";
  return std::to_string(seeds) + " of " + std::to_string(all_seeds) + " seeds";
}

bool SeriesResult::shows_all() const {
  return std::ranges::none_of(points, [](const SeriesPoint& at) { return at.runs.empty(); });
}
bool FigureResult::shows_all() const {
  return std::ranges::all_of(series, &SeriesResult::shows_all);
}

Runner::Runner(RunnerOptions options)
    : options_(std::move(options)),
      records_(options_.queue.read_only ? prism::TrialRecords::snapshot(options_.records)
                                        : prism::TrialRecords(options_.records)) {}

void Runner::only_read(std::vector<std::uint64_t> seeds) {
  options_.queue.read_only = true;
  options_.seeds = std::move(seeds);
}

std::filesystem::path Runner::file(const DataSet& data) const {
  return options_.data / data.name / data.file;
}

bool Runner::has(const DataSet& data) const {
  return data.file.empty() ||
         (std::filesystem::exists(file(data)) && !unreadable_.contains(data.name));
}

const prism::TrialData& Runner::split(const experiment::Settings& settings, const DataSet& data,
                                      std::uint64_t seed) {
  experiment::Settings of_seed = settings;
  of_seed.data = data.file.empty() ? "" : file(data).string();
  of_seed.synthetic_users = data.synthetic_users;
  of_seed.synthetic_items = data.synthetic_items;
  of_seed.seed = seed;
  const auto number = [](double value) { return prism::format_number(value); };
  const std::string key = data.name + " " + std::to_string(seed) + " " + settings.test_column +
                          "=" + settings.test_value + " " + number(settings.test_part) + " " +
                          number(settings.validation_part) + " " +
                          (settings.min_rating ? number(*settings.min_rating) : "");
  const auto found = splits_.find(key);
  if (found != splits_.end()) return found->second;
  return splits_.emplace(key, experiment::shared(experiment::load(of_seed))).first->second;
}

void Runner::check(const DataSet& data) {
  experiment::Settings settings;
  settings.min_rating = data.min_rating;
  try {
    (void)split(settings, data, options_.seeds.front());
  } catch (const prism::Error&) {
    unreadable_.insert(data.name);
    throw;
  }
}

void Runner::check(const Benchmark& benchmark) {
  const experiment::Settings settings = cell_settings(negatives_cells(benchmark).front());
  (void)split(settings, benchmark.data, options_.seeds.front());
}

std::vector<prism::Candidate> Runner::candidates(const experiment::Settings& settings,
                                                 const experiment::ModelChoice& model,
                                                 const DataSet& data, const std::string& group) {
  return experiment::candidates(settings, model, group,
                                [this, settings, data](std::uint64_t seed) -> const auto& {
                                  return split(settings, data, seed);
                                });
}

std::vector<prism::Tuned> Runner::tuned(const std::vector<Search>& searches, const DataSet& data,
                                        const std::vector<std::uint64_t>& seeds,
                                        const prism::QueueOptions& queue) {
  std::vector<prism::Tuned> all;
  for (const Search& search : searches) {
    experiment::Settings settings = search.settings;
    settings.device = options_.device;
    all.push_back(std::move(
        prism::tune(candidates(settings, search.model, data, search.model.initializer), records_,
                    {.seeds = seeds,
                     .first_epochs = options_.first_epochs.value_or(settings.first_epochs),
                     .halve_within = "lr",
                     .retrain = settings.retrain,
                     .queue = queue})
            .front()));
  }
  return all;
}

std::optional<prism::TrialRecord> Runner::best_at(const Search& search, const DataSet& data,
                                                  double rate) {
  experiment::Settings settings = search.settings;
  settings.device = options_.device;
  settings.lists["lr"] = {rate};
  std::optional<prism::TrialRecord> best;
  for (const prism::Candidate& candidate :
       candidates(settings, search.model, data, search.model.initializer)) {
    auto record = records_.find(candidate.trial(options_.seeds.front()).key);
    if (!record || !record->finished || !record->report) continue;
    if (!best || record->validation > best->validation) best = std::move(record);
  }
  return best;
}

CellResult Runner::run(const Cell& cell, const std::vector<Search>& searches,
                       std::vector<std::uint64_t> seeds, const prism::QueueOptions& queue) {
  CellResult result{.cell = cell, .all_seeds = seeds.size()};
  const std::vector<Search> before_training(searches.begin(), searches.begin() + 2);
  const std::vector<Search> after_training(searches.begin() + 2, searches.end());
  std::vector<std::uint64_t> seeds_after = seeds;
  // If a result is incomplete, time has run out: with fewer seeds, trials are read, not run.
  for (; !seeds.empty(); seeds.pop_back()) {
    const auto of_cell = tuned(before_training, cell.data, seeds, queue);
    result.decay = of_cell[0];
    result.prism = of_cell[1];
    if (result.complete()) break;
  }
  result.seeds = seeds.size();
  for (; !after_training.empty() && !seeds_after.empty(); seeds_after.pop_back()) {
    result.after = tuned(after_training, cell.data, seeds_after, queue).front();
    if (result.after->complete) break;
  }
  if (result.after) result.seeds = std::min(result.seeds, seeds_after.size());
  const std::vector<double>& rates = searches.front().settings.lists.at("lr");
  if (!result.complete() || rates.size() < 2) return result;
  for (const double rate : rates) {
    auto decay = best_at(searches[0], cell.data, rate);
    auto prism = best_at(searches[1], cell.data, rate);
    if (decay && prism) result.at_rates.push_back({rate, std::move(*decay), std::move(*prism)});
  }
  return result;
}

CellResult Runner::run(const Cell& cell) {
  std::vector<Search> searches = searches_of(cell);
  if (cell.protocol == Protocol::transferred) {
    const Cell source = source_of(cell);
    CellResult chosen{.cell = source, .all_seeds = 1};
    // The first seed decides the choice.
    if (has(source.data)) {
      chosen = run(source, searches_of(source), {options_.seeds.front()}, {.read_only = true});
    }
    if (!chosen.complete()) {
      return {.cell = cell, .all_seeds = options_.seeds.size(), .waits_for = source.name()};
    }
    keep_chosen(searches[0].settings, chosen.decay.configuration);
    keep_chosen(searches[1].settings, chosen.prism.configuration);
  }
  return run(cell, searches, options_.seeds, options_.queue);
}

NegativesResult Runner::run(const NegativesCell& cell) {
  const experiment::Settings settings = cell_settings(cell);
  const auto of_cell = tuned({{settings, {"MF", cell.loss, "None", "Xavier"}},
                              {settings, {"MF", cell.loss, "None", "PRISM"}}},
                             cell.benchmark.data, {options_.seeds.front()}, options_.queue);
  return {.cell = cell, .xavier = of_cell[0], .prism = of_cell[1]};
}

FigureResult Runner::run(const Figure& figure, const DataSet& data) {
  FigureResult result{.figure = figure};
  std::vector<prism::TrialSpec> trials;
  for (const Series& series : figure.series) {
    experiment::Settings settings = series_settings(series, data);
    settings.device = options_.device;
    settings.validate_by_cosine = figure.shown == Shown::curves;
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
        const prism::TrialSpec& trial = trials[next++];
        auto record = records_.find(trial.key);
        if (!record || !record->finished) continue;
        // Until this trial has run, another figure's record provides the curve by dot product.
        if (covers(*record, trial, to_the_end)) ++result.done;
        point.runs.push_back(std::move(*record));
      }
    }
  }
  keep_common_seeds(result);
  return result;
}

}  // namespace reproduce
