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
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/experiment/grid.hpp"
#include "prism/experiment/hyperparameters.hpp"
#include "prism/experiment/run_trials.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA {

/// A model with hyperparameters, for any seed.
struct Candidate {
  std::string model;  ///< of each of these, one candidate is chosen
  Configuration configuration{};
  std::function<TrialSpec(std::uint64_t seed)> trial;
};

struct TuneOptions {
  /// The chosen candidate runs with each; the search with the first `search_seeds` of them, whose
  /// mean it goes by.
  std::vector<std::uint64_t> seeds{123, 246, 492};
  std::size_t search_seeds = 1;
  /// Successive halving: after so many epochs only the best part of a model's candidates goes on,
  /// after as many times more again. 0: every candidate is trained to its end.
  std::size_t first_epochs = 0;
  double kept = 1.0 / 3;  ///< of the candidates, above 0, below 1; epochs grow by its inverse
  QueueOptions queue{};
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
  bool complete = false;  ///< whether search and runs are

  /// A number of the runs' reports: `tuned.test(&Report::ndcg)`.
  [[nodiscard]] Statistic test(double Report::*number) const {
    std::vector<double> numbers;
    for (const TrialRecord& run : runs) {
      if (run.report) numbers.push_back(run.report->dot.*number);
    }
    return statistic(numbers);
  }
  [[nodiscard]] Statistic validation() const {
    std::vector<double> numbers;
    for (const TrialRecord& run : runs) numbers.push_back(run.validation);
    return statistic(numbers);
  }
};

namespace detail {

/// A candidate in the search.
struct Contender {
  const Candidate* candidate;
  std::vector<TrialSpec> trials{};  // one a search seed
  double validation = 0;            // mean so far

  void score(const TrialRecords& records) {
    validation = 0;
    for (const TrialSpec& trial : trials) {
      const auto record = records.find(trial.key);
      // One that diverged has the epochs before, but is no choice.
      const bool good = record && record->error.empty();
      validation += (good ? record->validation : -1.0) / static_cast<double>(trials.size());
    }
  }
};

/// The candidates of one model, those still in the search first.
struct Contest {
  std::string model;
  std::vector<Contender> contenders{};
  std::size_t candidates = 0;

  void keep_best(const TrialRecords& records, double part) {
    for (Contender& contender : contenders) contender.score(records);
    std::ranges::stable_sort(contenders, std::greater<>(), &Contender::validation);
    const double count = std::ceil(part * static_cast<double>(contenders.size()) - 1e-9);
    contenders.resize(std::max<std::size_t>(1, static_cast<std::size_t>(count)));
  }
};

inline void check(const TuneOptions& options, std::size_t candidates) {
  require(candidates > 0, "candidates", "must not be empty");
  require(!options.seeds.empty(), "seeds", "must not be empty");
  require(options.search_seeds >= 1 && options.search_seeds <= options.seeds.size(), "search_seeds",
          "must be from 1 to the number of seeds, " + std::to_string(options.seeds.size()) +
              ", not " + std::to_string(options.search_seeds));
  require(options.kept > 0 && options.kept < 1, "kept",
          "must be above 0 and below 1, not " + format_number(options.kept));
}

[[nodiscard]] inline std::vector<Contest> contests(const std::vector<Candidate>& candidates,
                                                   const TuneOptions& options) {
  std::vector<Contest> all;
  for (const Candidate& candidate : candidates) {
    auto contest = std::ranges::find(all, candidate.model, &Contest::model);
    if (contest == all.end()) contest = all.insert(all.end(), {.model = candidate.model});
    Contender contender{.candidate = &candidate};
    for (std::size_t s = 0; s < options.search_seeds; ++s) {
      contender.trials.push_back(candidate.trial(options.seeds[s]));
    }
    contest->contenders.push_back(std::move(contender));
    ++contest->candidates;
  }
  return all;
}

}  // namespace detail

/// Chooses one candidate of each model by its validation, and runs that with all seeds. The test
/// part has no part in the choice. Halving waits for all trials of a round, so that the choice does
/// not depend on how long they take: the synchronous form of ASHA (Li et al., "A system for
/// massively parallel hyperparameter tuning", MLSys 2020), which is successive halving (Jamieson,
/// Talwalkar, AISTATS 2016). Where the records are in a file, a call that was interrupted, or
/// killed, goes on where it was when repeated.
///
/// @return one for each model, in the order of the candidates
/// @throws ArgumentError  for an option outside its domain
/// @throws what making or training a trial throws
[[nodiscard]] inline std::vector<Tuned> tune(const std::vector<Candidate>& candidates,
                                             TrialRecords& records, const TuneOptions& options) {
  detail::check(options, candidates.size());
  std::vector<detail::Contest> contests = detail::contests(candidates, options);
  constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();
  bool complete = true;
  const auto run = [&](std::size_t epochs, const auto& trials_of) {
    std::vector<TrialSpec> trials;
    for (const detail::Contest& contest : contests) {
      for (TrialSpec& trial : trials_of(contest)) trials.push_back(std::move(trial));
    }
    complete = complete && run_trials(trials, epochs, records, options.queue);
  };
  const auto of_search = [](const detail::Contest& contest) {
    std::vector<TrialSpec> trials;
    for (const detail::Contender& contender : contest.contenders) {
      trials.insert(trials.end(), contender.trials.begin(), contender.trials.end());
    }
    return trials;
  };
  const auto halving_goes_on = [&] {
    return std::ranges::any_of(contests, [](const auto& c) { return c.contenders.size() > 1; });
  };
  double epochs = static_cast<double>(options.first_epochs);
  for (; complete && epochs > 0 && epochs < 1e6 && halving_goes_on(); epochs /= options.kept) {
    run(static_cast<std::size_t>(epochs), of_search);
    if (complete) {
      for (detail::Contest& contest : contests) contest.keep_best(records, options.kept);
    }
  }
  if (complete) run(to_the_end, of_search);
  if (complete) {
    for (detail::Contest& contest : contests) contest.keep_best(records, 1e-6);
    run(to_the_end, [&](const detail::Contest& contest) {
      std::vector<TrialSpec> trials;
      for (const std::uint64_t seed : options.seeds) {
        trials.push_back(contest.contenders.front().candidate->trial(seed));
      }
      return trials;
    });
  }
  std::vector<Tuned> all;
  for (detail::Contest& contest : contests) {
    contest.keep_best(records, 1e-6);
    const Candidate& best = *contest.contenders.front().candidate;
    Tuned tuned{.model = contest.model,
                .configuration = best.configuration,
                .candidates = contest.candidates,
                .complete = complete};
    for (const std::uint64_t seed : options.seeds) {
      if (auto record = records.find(best.trial(seed).key)) {
        tuned.runs.push_back(std::move(*record));
      }
    }
    all.push_back(std::move(tuned));
  }
  return all;
}

/// Candidates of each model of a grid: `candidates<Grid<...>>(split, space)`. A hyperparameter that
/// a model does not have, such as lambda without decay, does not multiply that model's candidates.
/// Hyperparameters of one policy that others lack choose nothing for them.
///
/// @tparam Models  Grid<...> or Types<...>
/// @param draws    of each random hyperparameter, for each combination of the grids
/// @throws ArgumentError  where no model has a hyperparameter of the space, or a value is none of
///     the option's type
template <class Models>
[[nodiscard]] std::vector<Candidate> candidates(const Split& split, const SearchSpace& space,
                                                const FitOptions& fit = {}, std::size_t draws = 1) {
  std::vector<Candidate> all;
  std::set<std::string> used;
  const auto shared = std::make_shared<const Split>(split);
  const std::string split_text = describe_split(split);
  for_each_model<Models>([&]<class Model>() {
    std::set<std::string> keys;
    for (const Configuration& configuration : space.configurations(draws)) {
      typename Model::Options options;
      FitOptions fit_of_candidate = fit;
      Configuration own;
      for (const Hyperparameter& hyperparameter : configuration) {
        if (!set_hyperparameter(options, fit_of_candidate, hyperparameter)) continue;
        own.push_back(hyperparameter);
        used.insert(hyperparameter.name);
      }
      if (!keys.insert(label(own)).second) continue;
      const auto trial = [=](std::uint64_t seed) {
        typename Model::Options seeded = options;
        seeded.seed = seed;
        return trial_of<Model>(shared, split_text, seeded, fit_of_candidate, own);
      };
      all.push_back({.model = model_name<Model>(), .configuration = own, .trial = trial});
    }
  });
  for (const std::string& name : space.names()) {
    require(used.contains(name), "space",
            "has " + name + ", which no model of the grid has; hyperparameters() lists them");
  }
  return all;
}

}  // namespace prism::inline PRISM_ISA
