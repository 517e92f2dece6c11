// SPDX-License-Identifier: BSD-3-Clause
// Chooses hyperparameters by validation: a search space over a grid of models, several seeds,
// successive halving. Needs nlohmann-json.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/experiment/candidates.hpp"
#include "prism/experiment/model_search.hpp"
#include "prism/experiment/run_trials.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/training/stopwatch.hpp"

namespace prism::inline PRISM_ISA {

/// Options of tune().
struct TuneOptions {
  /// The chosen candidate runs with each seed; the search runs with the first `search_seeds` of
  /// them and compares their means. No duplicates.
  std::vector<std::uint64_t> seeds{123, 246, 492};
  std::size_t search_seeds = 1;
  /// Successive halving: after this many epochs, the first rung, only one in `reduction` of a
  /// model's candidates continues (see halve_within), to a rung `reduction` times as high. 0: all
  /// are trained to the end. Otherwise at least the first epoch that FitOptions::validate_every
  /// selects.
  std::size_t first_epochs = 0;
  double reduction = 3;  ///< above 1, finite
  /// Halving compares only candidates with the same value of this hyperparameter, and keeps at
  /// least one of each value: a lower learning rate ranks worse than a higher one until late. No
  /// effect if no candidate has it. The name may include the kind: "fit.learning_rate".
  std::string halve_within = "learning_rate";
  /// Whether to then retrain each chosen candidate on training and validation set together, with
  /// every seed, for as many epochs as that seed's validation found best, and test the result.
  bool retrain = false;
  QueueOptions queue{};  ///< its budget is for the whole search
};

/// Mean and sample standard deviation, which is 0 for one number.
struct Statistic {
  double mean = 0, deviation = 0;
  std::size_t count = 0;
};
[[nodiscard]] inline Statistic statistic(const std::vector<double>& numbers) {
  Statistic result{.count = numbers.size()};
  if (numbers.empty()) return result;
  const auto count = static_cast<double>(numbers.size());
  for (const double number : numbers) result.mean += number / count;
  double squares = 0;
  for (const double number : numbers) squares += (number - result.mean) * (number - result.mean);
  if (numbers.size() > 1) result.deviation = std::sqrt(squares / (count - 1));
  return result;
}

/// A model's chosen hyperparameters and their results.
struct Tuned {
  std::string model;
  Configuration configuration{};
  std::size_t candidates = 0;
  /// One per seed, in the order of TuneOptions::seeds; fewer if the search was interrupted.
  std::vector<TrialRecord> runs{};
  bool retrain = false;  ///< TuneOptions::retrain
  /// With `retrain`, the retraining of each run that has a best epoch.
  std::vector<TrialRecord> retrained{};
  bool complete = false;  ///< whether the search and all runs are finished

  /// A number of the test reports of `runs`, or with `retrain` of `retrained`:
  /// `tuned.test(&Report::ndcg)`. Neither this nor validation() counts runs that diverged.
  [[nodiscard]] Statistic test(double Report::* number) const {
    std::vector<double> numbers;
    for (const TrialRecord& run : retrain ? retrained : runs) {
      if (run.report) numbers.push_back(run.report->dot.*number);
    }
    return statistic(numbers);
  }
  [[nodiscard]] Statistic validation() const {
    std::vector<double> numbers;
    for (const TrialRecord& run : runs) {
      if (run.report) numbers.push_back(run.validation);
    }
    return statistic(numbers);
  }
};

namespace detail {

inline void check(const TuneOptions& options, std::size_t candidates) {
  require(candidates > 0, "candidates", "must not be empty");
  require(!options.seeds.empty(), "seeds", "must not be empty");
  for (const std::uint64_t seed : options.seeds) {
    require(std::ranges::count(options.seeds, seed) == 1, "seeds",
            "must not contain " + std::to_string(seed) + " twice");
  }
  require(options.search_seeds >= 1 && options.search_seeds <= options.seeds.size(), "search_seeds",
          "must be from 1 to the number of seeds, " + std::to_string(options.seeds.size()) +
              ", not " + std::to_string(options.search_seeds));
  require(options.reduction > 1 && is_finite(options.reduction), "reduction",
          "must be a finite number above 1, not " + format_number(options.reduction));
  check(options.queue);
}

[[nodiscard]] inline std::vector<ModelSearch> searches(const std::vector<Candidate>& candidates,
                                                       const TuneOptions& options) {
  std::vector<ModelSearch> all;
  for (const Candidate& candidate : candidates) {
    auto search = std::ranges::find(all, candidate.model, &ModelSearch::model);
    if (search == all.end()) search = all.insert(all.end(), {.model = candidate.model});
    RankedCandidate ranked{.candidate = &candidate, .place = search->candidates};
    for (std::size_t s = 0; s < options.search_seeds; ++s) {
      ranked.trials.push_back(candidate.trial(options.seeds[s]));
      search->trials.push_back(ranked.trials.back());
    }
    search->left.push_back(std::move(ranked));
    ++search->candidates;
  }
  return all;
}

/// One call of tune.
class Tuning {
 public:
  Tuning(const std::vector<Candidate>& candidates, TrialRecords& records,
         const TuneOptions& options)
      : records_(records), options_(options) {
    check(options, candidates.size());
    for (const Candidate& candidate : candidates) {
      const auto same = [&](const Hyperparameter& each) {
        return same_hyperparameter(each.name, options.halve_within);
      };
      require(std::ranges::count_if(candidate.configuration, same) <= 1, "halve_within",
              "must include the kind, such as loss." + options.halve_within +
                  ", because a candidate has several hyperparameters of this name");
    }
    searches_ = searches(candidates, options);
    for (const ModelSearch& each : searches_) {
      for (const TrialSpec& trial : each.trials) {
        require(options.first_epochs == 0 || options.first_epochs >= trial.first_validated,
                "first_epochs",
                "must be 0 or at least " + std::to_string(trial.first_validated) +
                    ", the first epoch of a trial that is validated (see validate_every)");
      }
    }
  }

  std::vector<Tuned> run() {
    const bool complete = search() && run_chosen() && retrain_chosen();
    // A call that only reads the records leaves the checkpoints to whoever trains these trials.
    if (complete && trained_) {
      for (const ModelSearch& each : searches_) {
        discard_checkpoints(each.trials, records_, options_.queue);
      }
    }
    std::vector<Tuned> all;
    for (ModelSearch& each : searches_) {
      each.keep_best(records_, to_the_end);
      const Candidate& best = *each.left.front().candidate;
      Tuned tuned{.model = each.model,
                  .configuration = best.configuration,
                  .candidates = each.candidates,
                  .retrain = options_.retrain,
                  .complete = complete};
      const std::vector<TrialSpec> runs = chosen_trials(best);
      tuned.runs = on_record(runs, records_);
      if (options_.retrain) {
        tuned.retrained = on_record(retrained_trials(runs, records_), records_);
      }
      all.push_back(std::move(tuned));
    }
    return all;
  }

 private:
  bool search() {
    const std::string& within = options_.halve_within;
    const auto can_be_halved = [&](const ModelSearch& each) { return each.can_be_halved(within); };
    double rung = static_cast<double>(options_.first_epochs);
    while (rung > 0 && std::ranges::any_of(searches_, can_be_halved) && rung < max_rung) {
      const auto epochs = static_cast<std::size_t>(rung);
      if (!run_left(epochs)) return false;
      for (ModelSearch& each : searches_) {
        each.halve(records_, epochs, options_.reduction, within);
      }
      rung *= options_.reduction;
    }
    if (!run_left(to_the_end)) return false;
    for (ModelSearch& each : searches_) each.keep_best(records_, to_the_end);
    return true;
  }

  bool run_left(std::size_t epochs) {
    std::vector<TrialSpec> trials;
    for (const ModelSearch& each : searches_) {
      for (const RankedCandidate& ranked : each.left) {
        trials.insert(trials.end(), ranked.trials.begin(), ranked.trials.end());
      }
    }
    return run(trials, epochs);
  }

  [[nodiscard]] std::vector<TrialSpec> chosen_trials(const Candidate& chosen) const {
    std::vector<TrialSpec> trials;
    for (const std::uint64_t seed : options_.seeds) trials.push_back(chosen.trial(seed));
    return trials;
  }
  [[nodiscard]] std::vector<TrialSpec> chosen_trials() const {
    std::vector<TrialSpec> all;
    for (const ModelSearch& each : searches_) {
      for (TrialSpec& trial : chosen_trials(*each.left.front().candidate)) {
        all.push_back(std::move(trial));
      }
    }
    return all;
  }

  bool run_chosen() { return run(chosen_trials(), to_the_end); }

  bool retrain_chosen() {
    return !options_.retrain || run(retrained_trials(chosen_trials(), records_), to_the_end);
  }

  bool run(const std::vector<TrialSpec>& trials, std::size_t epochs) {
    trained_ = trained_ || std::ranges::any_of(trials, [&](const TrialSpec& trial) {
                 const auto record = records_.find(trial.key);
                 return !record || !covers(*record, trial, epochs);
               });
    QueueOptions queue = options_.queue;
    queue.budget_seconds = std::max(0.0, queue.budget_seconds - time_.seconds());
    return run_trials(trials, epochs, records_, queue);
  }

  static constexpr double max_rung = 1e9;  // epochs; all training is over by then

  TrialRecords& records_;
  const TuneOptions& options_;
  Stopwatch time_;
  std::vector<ModelSearch> searches_;
  bool trained_ = false;  // whether trials were missing on record
};

}  // namespace detail

/// Chooses one candidate of each model by validation, and runs it with all seeds. The test set
/// plays no part in the choice. Halving waits for all trials of a rung, so that the choice does not
/// depend on how long they take: the synchronous form of ASHA (Li et al., "A system for massively
/// parallel hyperparameter tuning", MLSys 2020), which is successive halving (Jamieson, Talwalkar,
/// AISTATS 2016). If the records are in a file, repeating a call that was interrupted or killed
/// continues where it stopped.
///
/// @return one result for each model, in the order of the candidates
/// @throws ArgumentError  for an option outside its domain
/// @throws DataError      if records or checkpoints cannot be written
/// @throws anything that making or training a trial throws
[[nodiscard]] inline std::vector<Tuned> tune(const std::vector<Candidate>& candidates,
                                             TrialRecords& records,
                                             const TuneOptions& options = {}) {
  return detail::Tuning(candidates, records, options).run();
}

}  // namespace prism::inline PRISM_ISA
