// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <prism/experiment/tune.hpp>
#include <string>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "interrupt.hpp"
#include "option_names.hpp"
#include "run.hpp"

namespace experiment {

namespace {

/// The split that each seed gives.
using Splits = std::map<std::uint64_t, Data>;

Splits load_splits(const Settings& settings) {
  Splits splits;
  for (const std::uint64_t seed : settings.seeds) {
    Settings seeded = settings;
    seeded.seed = seed;
    prism::Split split = load(seeded);
    check_parts(seeded, split);
    splits.emplace(seed, shared(std::move(split)));
  }
  return splits;
}

std::vector<prism::Candidate> candidates_of(const Settings& settings, const Splits& splits) {
  std::vector<prism::Candidate> all;
  for (const ModelChoice& model : settings.models()) {
    const std::string name =
        model.backbone + " + " + model.loss + " + " + model.regularizer + " + " + model.initializer;
    const auto data = [&splits](std::uint64_t seed) -> const Data& { return splits.at(seed); };
    for (prism::Candidate& candidate : candidates(settings, model, name, data)) {
      all.push_back(std::move(candidate));
    }
  }
  return all;
}

std::string rounded(double number, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

void show(const prism::QueueProgress& progress) {
  const prism::TrialRecord& last = progress.last;
  std::fprintf(stderr, "%zu of %zu  %s (%s), seed %llu: %s, about %.0f min left\n", progress.done,
               progress.total, last.model.c_str(), label(last.configuration).c_str(),
               static_cast<unsigned long long>(last.seed),
               last.error.empty()
                   ? ("validation " + rounded(last.validation, 5) + " in epoch " +
                      std::to_string(last.best_epoch) + " of " + std::to_string(last.epochs))
                         .c_str()
                   : examples::in_options(last.error).c_str(),
               progress.seconds_left / 60);
}

std::string with_deviation(const prism::Statistic& statistic) {
  char text[64];
  if (statistic.count == 0) return "-";
  std::snprintf(text, sizeof text, statistic.count > 1 ? "%.5f +- %.5f" : "%.5f", statistic.mean,
                statistic.deviation);
  return text;
}

void print(const std::vector<prism::Tuned>& rows) {
  std::size_t width = 5, values = 15;
  for (const prism::Tuned& row : rows) {
    width = std::max(width, row.model.size());
    values = std::max(values, label(row.configuration).size());
  }
  std::printf("\n%-*s  %-*s  %-18s  %-18s  epochs\n", static_cast<int>(width), "model",
              static_cast<int>(values), "hyperparameters", "validation", "NDCG@20");
  for (const prism::Tuned& row : rows) {
    std::vector<double> epochs;
    for (const prism::TrialRecord& run : row.runs) {
      if (run.report) epochs.push_back(static_cast<double>(run.best_epoch));
    }
    std::printf("%-*s  %-*s  %-18s  %-18s  %s\n", static_cast<int>(width), row.model.c_str(),
                static_cast<int>(values), label(row.configuration).c_str(),
                with_deviation(row.validation()).c_str(),
                with_deviation(row.test(&prism::Report::ndcg)).c_str(),
                epochs.empty() ? "-" : rounded(prism::statistic(epochs).mean, 0).c_str());
  }
  std::printf(
      "\nNDCG@20 on the test part, ranked by dot product; mean and standard deviation over the "
      "seeds; epochs:\nmean of the best.\n");
}

/// What a signal has left to do.
void print_ended(const Settings& settings) {
  std::printf("\nwarning: ended by a signal; the table has the trials that were over%s. %s\n",
              settings.tune ? ", and the choice may\nbe another when all are" : "",
              settings.records.empty() ? "With --records FILE, the same command would go on."
                                       : "The same command goes on.");
}

/// Trials that diverged. @return whether there are none
bool print_errors(const std::vector<prism::Tuned>& rows) {
  bool none = true;
  for (const prism::Tuned& row : rows) {
    for (const prism::TrialRecord& run : row.runs) {
      if (run.error.empty()) continue;
      std::printf("%s (%s), seed %llu: %s\n", row.model.c_str(), label(row.configuration).c_str(),
                  static_cast<unsigned long long>(run.seed),
                  examples::in_options(run.error).c_str());
      none = false;
    }
  }
  return none;
}

/// Runs each candidate with each seed, as far as the queue lets it.
std::vector<prism::Tuned> run_all(const Settings& settings,
                                  const std::vector<prism::Candidate>& candidates,
                                  prism::TrialRecords& records, const prism::QueueOptions& queue) {
  std::vector<prism::TrialSpec> trials;
  for (const prism::Candidate& candidate : candidates) {
    for (const std::uint64_t seed : settings.seeds) trials.push_back(candidate.trial(seed));
  }
  const bool complete =
      prism::run_trials(trials, std::numeric_limits<std::size_t>::max(), records, queue);
  std::vector<prism::Tuned> rows;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    prism::Tuned row{.model = candidates[c].model,
                     .configuration = candidates[c].configuration,
                     .complete = complete};
    for (std::size_t s = 0; s < settings.seeds.size(); ++s) {
      const auto record = records.find(trials[c * settings.seeds.size() + s].key);
      if (record) row.runs.push_back(*record);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

int run_lists(const Settings& settings) {
  const auto records = settings.records.empty()
                           ? std::make_unique<prism::TrialRecords>()
                           : std::make_unique<prism::TrialRecords>(settings.records);
  const Splits splits = load_splits(settings);
  const std::vector<prism::Candidate> candidates = candidates_of(settings, splits);
  prism::QueueOptions queue;
  if (settings.threads) queue.workers = *settings.threads;
  if (!settings.quiet) queue.progress = show;
  queue.interrupted = [] { return caught_signal() != 0; };
  catch_signals();
  const std::vector<prism::Tuned> rows = settings.tune
                                             ? prism::tune(candidates, *records,
                                                           {.seeds = settings.seeds,
                                                            .first_epochs = settings.first_epochs,
                                                            .halve_within = "lr",
                                                            .queue = queue})
                                             : run_all(settings, candidates, *records, queue);
  print(rows);
  const bool complete = std::ranges::all_of(rows, &prism::Tuned::complete);
  if (!complete) print_ended(settings);
  const bool good = print_errors(rows) && complete;
  if (caught_signal() != 0) return 128 + caught_signal();
  return good ? 0 : 1;
}

}  // namespace experiment
