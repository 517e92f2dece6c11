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
#include "run.hpp"

namespace experiment {

namespace {

/// The split that a seed gives, read once.
class Splits {
 public:
  explicit Splits(const Settings& settings) : settings_(settings) {}
  const Data& of(std::uint64_t seed) {
    const auto found = splits_.find(seed);
    if (found != splits_.end()) return found->second;
    Settings seeded = settings_;
    seeded.seed = seed;
    prism::Split split = load(seeded);
    check_parts(seeded, split);
    return splits_.emplace(seed, shared(std::move(split))).first->second;
  }

 private:
  const Settings& settings_;
  std::map<std::uint64_t, Data> splits_;
};

std::vector<prism::Candidate> candidates_of(const Settings& settings, Splits& splits) {
  std::vector<prism::Candidate> all;
  for (const ModelChoice& model : settings.models()) {
    const std::string name =
        model.backbone + " + " + model.loss + " + " + model.regularizer + " + " + model.initializer;
    const auto data = [&splits](std::uint64_t seed) -> const Data& { return splits.of(seed); };
    for (prism::Candidate& candidate : candidates(settings, model, name, data)) {
      all.push_back(std::move(candidate));
    }
  }
  return all;
}

std::string rounded(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5f", number);
  return text;
}

void show(const prism::QueueProgress& progress) {
  const prism::TrialRecord& last = progress.last;
  std::fprintf(stderr, "%zu of %zu  %s (%s), seed %llu: %s, about %.0f min left\n", progress.done,
               progress.total, last.model.c_str(), label(last.configuration).c_str(),
               static_cast<unsigned long long>(last.seed),
               last.error.empty()
                   ? ("validation " + rounded(last.validation) + " in epoch " +
                      std::to_string(last.best_epoch) + " of " + std::to_string(last.epochs))
                         .c_str()
                   : last.error.c_str(),
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
      epochs.push_back(static_cast<double>(run.best_epoch));
    }
    std::printf("%-*s  %-*s  %-18s  %-18s  %.0f\n", static_cast<int>(width), row.model.c_str(),
                static_cast<int>(values), label(row.configuration).c_str(),
                with_deviation(row.validation()).c_str(),
                with_deviation(row.test(&prism::Report::ndcg)).c_str(),
                prism::statistic(epochs).mean);
  }
  std::printf(
      "\nNDCG@20 on the test part, ranked by dot product; mean and standard deviation over the "
      "seeds; epochs:\nmean of the best.\n");
}

}  // namespace

int run_lists(const Settings& settings) {
  Splits splits(settings);
  const std::vector<prism::Candidate> candidates = candidates_of(settings, splits);
  const auto records = settings.records.empty()
                           ? std::make_unique<prism::TrialRecords>()
                           : std::make_unique<prism::TrialRecords>(settings.records);
  prism::QueueOptions queue;
  if (settings.threads) queue.workers = *settings.threads;
  if (!settings.quiet) queue.progress = show;
  std::vector<prism::Tuned> rows;
  if (settings.tune) {
    rows = prism::tune(
        candidates, *records,
        {.seeds = settings.seeds, .first_epochs = settings.first_epochs, .queue = queue});
  } else {
    std::vector<prism::TrialSpec> trials;
    for (const prism::Candidate& candidate : candidates) {
      for (const std::uint64_t seed : settings.seeds) trials.push_back(candidate.trial(seed));
    }
    prism::run_trials(trials, std::numeric_limits<std::size_t>::max(), *records, queue);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      prism::Tuned row{.model = candidates[c].model, .configuration = candidates[c].configuration};
      for (std::size_t s = 0; s < settings.seeds.size(); ++s) {
        const auto record = records->find(trials[c * settings.seeds.size() + s].key);
        if (record) row.runs.push_back(*record);
      }
      rows.push_back(std::move(row));
    }
  }
  print(rows);
  const auto complete = [&](const prism::Tuned& row) {
    return row.runs.size() == settings.seeds.size();
  };
  bool good = std::ranges::all_of(rows, complete);
  for (const prism::Tuned& row : rows) {
    for (const prism::TrialRecord& run : row.runs) {
      if (run.error.empty()) continue;
      std::printf("%s (%s), seed %llu: %s\n", row.model.c_str(), label(row.configuration).c_str(),
                  static_cast<unsigned long long>(run.seed), run.error.c_str());
      good = false;
    }
  }
  return good ? 0 : 1;
}

}  // namespace experiment
