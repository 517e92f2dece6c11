// SPDX-License-Identifier: BSD-3-Clause
// Chooses hyperparameters by validation: a search space over a grid of models, several seeds,
// successive halving. Needs nlohmann-json.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/experiment/candidates.hpp"
#include "prism/experiment/run_trials.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/training/stopwatch.hpp"

namespace prism::inline PRISM_ISA {

struct TuneOptions {
  /// The chosen candidate runs with each; the search with the first `search_seeds` of them, whose
  /// mean it goes by. No seed twice.
  std::vector<std::uint64_t> seeds{123, 246, 492};
  std::size_t search_seeds = 1;
  /// Successive halving: after so many epochs, the first rung, only one in `reduction` of a model's
  /// candidates goes on, to a rung `reduction` times as high. 0: all are trained to their end.
  std::size_t first_epochs = 0;
  double reduction = 3;  ///< above 1, finite
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

/// A model's chosen hyperparameters, and what they gave.
struct Tuned {
  std::string model;
  Configuration configuration{};
  std::size_t candidates = 0;
  /// One a seed, in the order of TuneOptions::seeds; fewer where the search was interrupted.
  std::vector<TrialRecord> runs{};
  bool complete = false;  ///< whether the search and all runs are over

  /// A number of the runs' reports: `tuned.test(&Report::ndcg)`. Neither this nor validation()
  /// counts runs that diverged.
  [[nodiscard]] Statistic test(double Report::*number) const {
    std::vector<double> numbers;
    for (const TrialRecord& run : runs) {
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

inline constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

/// The best validation of a trial's first epochs; minus infinity where it diverged in them, or has
/// none. What it gave in later epochs does not count, so that a search decides as it did before.
[[nodiscard]] inline double best_validation(const std::optional<TrialRecord>& record,
                                            std::size_t epochs) {
  constexpr double worst = -std::numeric_limits<double>::infinity();
  if (!record || (!record->error.empty() && record->validations.size() < epochs)) return worst;
  const auto first =
      std::span(record->validations).first(std::min(epochs, record->validations.size()));
  return first.empty() ? worst : *std::ranges::max_element(first);
}

/// A candidate in a search.
struct RankedCandidate {
  const Candidate* candidate;
  std::vector<TrialSpec> trials{};  // one a search seed
  double validation = 0;            // mean
  std::size_t place = 0;            // among the model's candidates
};

/// The search among the candidates of one model.
struct ModelSearch {
  std::string model;
  std::vector<RankedCandidate> left{};  // those that go on
  std::vector<TrialSpec> trials{};      // of all
  std::size_t candidates = 0;

  /// Ranks by the validation of the first epochs, ties in the candidates' order, and keeps the
  /// best.
  void keep_best(const TrialRecords& records, std::size_t epochs, std::size_t count) {
    for (RankedCandidate& each : left) {
      each.validation = 0;
      for (const TrialSpec& trial : each.trials) {
        each.validation += best_validation(records.find(trial.key), epochs) /
                           static_cast<double>(each.trials.size());
      }
    }
    std::ranges::sort(left, [](const RankedCandidate& a, const RankedCandidate& b) {
      return a.validation != b.validation ? a.validation > b.validation : a.place < b.place;
    });
    left.resize(std::min(left.size(), count));
  }
};

inline void check(const TuneOptions& options, std::size_t candidates) {
  require(candidates > 0, "candidates", "must not be empty");
  require(!options.seeds.empty(), "seeds", "must not be empty");
  for (const std::uint64_t seed : options.seeds) {
    require(std::ranges::count(options.seeds, seed) == 1, "seeds",
            "must not hold " + std::to_string(seed) + " twice");
  }
  require(options.search_seeds >= 1 && options.search_seeds <= options.seeds.size(), "search_seeds",
          "must be from 1 to the number of seeds, " + std::to_string(options.seeds.size()) +
              ", not " + std::to_string(options.search_seeds));
  require(options.reduction > 1 && is_finite(options.reduction), "reduction",
          "must be a finite number above 1, not " + format_number(options.reduction));
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
    searches_ = searches(candidates, options);
  }

  std::vector<Tuned> run() {
    const bool complete = search() && run_chosen();
    if (complete) {
      for (const ModelSearch& each : searches_) {
        discard_checkpoints(each.trials, records_, options_.queue);
      }
    }
    std::vector<Tuned> all;
    for (ModelSearch& each : searches_) {
      each.keep_best(records_, to_the_end, 1);
      const Candidate& best = *each.left.front().candidate;
      Tuned tuned{.model = each.model,
                  .configuration = best.configuration,
                  .candidates = each.candidates,
                  .complete = complete};
      for (const std::uint64_t seed : options_.seeds) {
        if (auto record = records_.find(best.trial(seed).key)) {
          tuned.runs.push_back(std::move(*record));
        }
      }
      all.push_back(std::move(tuned));
    }
    return all;
  }

 private:
  bool search() {
    const auto size = [](const ModelSearch& each) { return each.left.size(); };
    double rung = static_cast<double>(options_.first_epochs);
    while (rung > 0 && std::ranges::max(searches_, {}, size).left.size() > 1 && rung < max_rung) {
      const auto epochs = static_cast<std::size_t>(rung);
      if (!run_left(epochs)) return false;
      for (ModelSearch& each : searches_) {
        const double part = static_cast<double>(each.left.size()) / options_.reduction;
        const auto fewer = static_cast<std::size_t>(std::ceil(part - 1e-9));
        each.keep_best(records_, epochs,
                       std::max<std::size_t>(1, std::min(fewer, each.left.size() - 1)));
      }
      rung *= options_.reduction;
    }
    if (!run_left(to_the_end)) return false;
    for (ModelSearch& each : searches_) each.keep_best(records_, to_the_end, 1);
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

  bool run_chosen() {
    std::vector<TrialSpec> trials;
    for (const ModelSearch& each : searches_) {
      for (const std::uint64_t seed : options_.seeds) {
        trials.push_back(each.left.front().candidate->trial(seed));
      }
    }
    return run(trials, to_the_end);
  }

  bool run(const std::vector<TrialSpec>& trials, std::size_t epochs) {
    QueueOptions queue = options_.queue;
    queue.budget_seconds = std::max(0.0, queue.budget_seconds - time_.seconds());
    return run_trials(trials, epochs, records_, queue);
  }

  static constexpr double max_rung = 1e9;  // of epochs; all trainings are over by then

  TrialRecords& records_;
  const TuneOptions& options_;
  Stopwatch time_;
  std::vector<ModelSearch> searches_;
};

}  // namespace detail

/// Chooses one candidate of each model by its validation, and runs that with all seeds. The test
/// part has no part in the choice. Halving waits for all trials of a rung, so that the choice does
/// not depend on how long they take: the synchronous form of ASHA (Li et al., "A system for
/// massively parallel hyperparameter tuning", MLSys 2020), which is successive halving (Jamieson,
/// Talwalkar, AISTATS 2016). Where the records are in a file, a call that was interrupted, or
/// killed, goes on where it was when repeated.
///
/// @return one for each model, in the order of the candidates
/// @throws ArgumentError  for an option outside its domain
/// @throws DataError      where records or checkpoints cannot be written
/// @throws what making or training a trial throws
[[nodiscard]] inline std::vector<Tuned> tune(const std::vector<Candidate>& candidates,
                                             TrialRecords& records, const TuneOptions& options) {
  return detail::Tuning(candidates, records, options).run();
}

}  // namespace prism::inline PRISM_ISA
