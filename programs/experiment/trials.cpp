// SPDX-License-Identifier: BSD-3-Clause
#include "trials.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <prism/experiment/tune.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "candidates.hpp"
#include "interrupt.hpp"
#include "option_names.hpp"
#include "program.hpp"
#include "run.hpp"
#include "table.hpp"

namespace experiment {

namespace {

/// The split of each seed.
using Splits = std::map<std::uint64_t, prism::TrialData>;

/// Loads the splits, and prints their sizes.
Splits load_splits(const Settings& settings) {
  Splits splits;
  for (const std::uint64_t seed : settings.seeds) {
    Settings seeded = settings;
    seeded.seed = seed;
    prism::Split split = load(seeded);
    if (settings.seeds.size() > 1)
      std::printf("seed %llu: ", static_cast<unsigned long long>(seed));
    print_split(seeded, split);
    check_parts(seeded, split);
    splits.emplace(seed, shared(std::move(split)));
  }
  return splits;
}

/// The baseline over the seeds.
struct Baseline {
  prism::Statistic ndcg, recall;
};
Baseline baseline_of(const Settings& settings, const Splits& splits) {
  std::vector<double> ndcg, recall;
  for (const auto& [seed, data] : splits) {
    const prism::Report report = baseline(*data.split, settings.retrain);
    ndcg.push_back(report.ndcg);
    recall.push_back(report.recall);
  }
  return {prism::statistic(ndcg), prism::statistic(recall)};
}

std::vector<prism::Candidate> candidates_of(const Settings& settings, const Splits& splits) {
  std::vector<prism::Candidate> all;
  for (const ModelChoice& model : settings.models()) {
    std::string name =
        model.backbone + " + " + model.loss + " + " + model.regularizer + " + " + model.initializer;
    if (!model.ranking.is_default()) {
      name += " + " + model.ranking.name();
    }
    const auto data = [&splits](std::uint64_t seed) -> const prism::TrialData& {
      return splits.at(seed);
    };
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

std::string outcome(const prism::TrialRecord& record) {
  if (!record.error.empty()) return programs::in_options(record.error);
  const std::string epochs = std::to_string(record.epochs);
  if (record.retraining) return "retrained for " + epochs + " epochs";
  return "validation " + rounded(record.validation, 5) + " in epoch " +
         std::to_string(record.best_epoch) + " of " + epochs;
}

void show(const prism::QueueProgress& progress) {
  const prism::TrialRecord& last = progress.last;
  std::fprintf(stderr, "%zu of %zu  %s (%s), seed %llu: %s, about %.0f min left\n", progress.done,
               progress.total, last.model.c_str(), label(last.configuration).c_str(),
               static_cast<unsigned long long>(last.seed), outcome(last).c_str(),
               progress.seconds_left / 60);
}

std::string with_deviation(const prism::Statistic& statistic) {
  char text[64];
  if (statistic.count == 0) return "-";
  std::snprintf(text, sizeof text, statistic.count > 1 ? "%.5f +- %.5f" : "%.5f", statistic.mean,
                statistic.deviation);
  return text;
}

void print(const std::vector<prism::Tuned>& rows, const Baseline& popular) {
  std::size_t width = std::string(baseline_name).size(), values = 15;
  for (const prism::Tuned& row : rows) {
    width = std::max(width, row.model.size());
    values = std::max(values, label(row.configuration).size());
  }
  const auto print_row = [&](const std::string& model, const std::string& configuration,
                             const std::string& validation, const prism::Statistic& ndcg,
                             const prism::Statistic& recall, const std::string& epochs) {
    std::printf("%-*s  %-*s  %-18s  %-18s  %-18s  %s\n", static_cast<int>(width), model.c_str(),
                static_cast<int>(values), configuration.c_str(), validation.c_str(),
                with_deviation(ndcg).c_str(), with_deviation(recall).c_str(), epochs.c_str());
  };
  std::printf("\n%-*s  %-*s  %-18s  %-18s  %-18s  epochs\n", static_cast<int>(width), "model",
              static_cast<int>(values), "hyperparameters", "validation", "NDCG@20", "Recall@20");
  print_row(baseline_name, "", "", popular.ndcg, popular.recall, "");
  for (const prism::Tuned& row : rows) {
    std::vector<double> epochs;
    for (const prism::TrialRecord& run : row.runs) {
      if (run.report) epochs.push_back(static_cast<double>(run.best_epoch));
    }
    print_row(row.model, label(row.configuration), with_deviation(row.validation()),
              row.test(&prism::Report::ndcg), row.test(&prism::Report::recall),
              epochs.empty() ? "-" : rounded(prism::statistic(epochs).mean, 0));
  }
  std::printf(
      "\nNDCG@20 and Recall@20 on the test set, ranked by dot product; mean and standard "
      "deviation "
      "over the\nseeds; epochs: mean of the best.%s\n",
      rows.front().retrain ? " Tested after retraining on training and validation set." : "");
}

/// Prints what each seed's validation set chose to rank with.
void print_choices(const Settings& settings, const std::vector<prism::Tuned>& rows) {
  for (const prism::Tuned& row : rows) {
    std::string chosen;
    for (const prism::TrialRecord& run : row.runs) {
      if (!run.chosen) continue;
      chosen += (chosen.empty() ? "" : ", ") + prism::format_number(*run.chosen);
    }
    if (chosen.empty()) continue;
    const std::string configuration = label(row.configuration);
    std::printf("\n%s%s: ranked with %s %s, chosen on the validation set%s\n", row.model.c_str(),
                configuration.empty() ? "" : (" (" + configuration + ")").c_str(),
                settings.rank_alpha.empty() ? "power" : "alpha", chosen.c_str(),
                row.runs.size() > 1 ? " of each seed" : "");
  }
}

/// Warns that a signal ended the trials, and says how to go on.
void print_ended(const Settings& settings) {
  std::printf("\nwarning: ended by a signal; the table has the trials completed so far%s. %s\n",
              settings.tune ? ", and the choice may\nchange when all are complete" : "",
              settings.records.empty() ? "With --records FILE, the same command would continue."
                                       : "Run the same command to continue.");
}

/// Prints the warnings of the table's trials: those of one model and text once, with the first of
/// its trials and the number of others; ten at most.
void print_warnings(const Settings& settings, const std::vector<prism::Tuned>& rows,
                    const Baseline& popular) {
  struct Warning {
    std::string model, trial, text;
    std::size_t others = 0;
  };
  std::vector<Warning> found;
  for (const prism::Tuned& row : rows) {
    const auto add = [&](const std::string& seed, const std::string& text) {
      const auto known = std::ranges::find_if(found, [&](const Warning& warning) {
        return warning.model == row.model && warning.text == text;
      });
      if (known != found.end()) {
        ++known->others;
        return;
      }
      const std::string configuration = label(row.configuration);
      found.push_back(
          {row.model, (configuration.empty() ? "" : " (" + configuration + ")") + seed, text});
    };
    for (const auto* runs : {&row.runs, &row.retrained}) {
      for (const prism::TrialRecord& run : *runs) {
        for (const std::string& warning : run.warnings) {
          add(", seed " + std::to_string(run.seed), warning);
        }
      }
    }
    const prism::Statistic ndcg = row.test(&prism::Report::ndcg);
    if (ndcg.count == popular.ndcg.count && ndcg.mean < popular.ndcg.mean) {
      add("", worse_than_baseline);
    }
  }
  constexpr std::size_t most = 10;
  for (std::size_t k = 0; k < std::min(found.size(), most); ++k) {
    const Warning& warning = found[k];
    const std::string others =
        warning.others == 0 ? "" : ", and " + std::to_string(warning.others) + " more like it";
    std::printf("\nwarning: %s%s%s: %s\n", warning.model.c_str(), warning.trial.c_str(),
                others.c_str(), programs::in_options(warning.text).c_str());
  }
  if (found.size() <= most) return;
  std::printf("\nwarning: there are %zu more warnings%s\n", found.size() - most,
              settings.records.empty() ? "; --records FILE keeps them all"
                                       : (" in " + settings.records).c_str());
}

/// Prints the trials of the table that diverged. @return whether there are none
bool print_errors(const std::vector<prism::Tuned>& rows) {
  bool none = true;
  for (const prism::Tuned& row : rows) {
    for (const auto* runs : {&row.runs, &row.retrained}) {
      for (const prism::TrialRecord& run : *runs) {
        if (run.error.empty()) continue;
        std::printf("%s (%s), seed %llu: %s%s\n", row.model.c_str(),
                    label(row.configuration).c_str(), static_cast<unsigned long long>(run.seed),
                    run.retraining ? "retraining: " : "", programs::in_options(run.error).c_str());
        none = false;
      }
    }
  }
  return none;
}

/// Runs each candidate with each seed, unless the queue is interrupted.
std::vector<prism::Tuned> run_all(const Settings& settings,
                                  const std::vector<prism::Candidate>& candidates,
                                  prism::TrialRecords& records, const prism::QueueOptions& queue) {
  std::vector<prism::TrialSpec> trials;
  for (const prism::Candidate& candidate : candidates) {
    for (const std::uint64_t seed : settings.seeds) trials.push_back(candidate.trial(seed));
  }
  constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();
  bool complete = prism::run_trials(trials, to_the_end, records, queue);
  if (complete && settings.retrain) {
    complete =
        prism::run_trials(prism::retrained_trials(trials, records), to_the_end, records, queue);
  }
  std::vector<prism::Tuned> rows;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const auto runs = std::span(trials).subspan(c * settings.seeds.size(), settings.seeds.size());
    rows.push_back(
        {.model = candidates[c].model,
         .configuration = candidates[c].configuration,
         .runs = prism::on_record(runs, records),
         .retrain = settings.retrain,
         .retrained = settings.retrain
                          ? prism::on_record(prism::retrained_trials(runs, records), records)
                          : std::vector<prism::TrialRecord>(),
         .complete = complete});
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
                                                            .retrain = settings.retrain,
                                                            .queue = queue})
                                             : run_all(settings, candidates, *records, queue);
  const Baseline popular = baseline_of(settings, splits);
  print(rows, popular);
  print_choices(settings, rows);
  print_warnings(settings, rows, popular);
  const bool complete = std::ranges::all_of(rows, &prism::Tuned::complete);
  if (!complete) print_ended(settings);
  const bool good = print_errors(rows) && complete && programs::flush_output("experiment");
  if (caught_signal() != 0) return 128 + caught_signal();
  return good ? 0 : 1;
}

}  // namespace experiment
