// SPDX-License-Identifier: BSD-3-Clause
// Successive halving among the candidates of one model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/experiment/candidates.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

/// The best validation of a trial's first epochs; minus infinity if it diverged in them, or neither
/// they nor the initial weights are validated. Later epochs do not count, so that a repeated search
/// makes the same decisions.
[[nodiscard]] inline double best_validation(const std::optional<TrialRecord>& record,
                                            std::size_t epochs) {
  constexpr double worst = -std::numeric_limits<double>::infinity();
  if (!record || (!record->error.empty() && record->validations.size() < epochs)) return worst;
  double best = record->initial_validation.value_or(worst);
  for (const double each :
       std::span(record->validations).first(std::min(epochs, record->validations.size()))) {
    if (is_finite(each)) best = std::max(best, each);
  }
  return best;
}

/// A candidate in a search.
struct RankedCandidate {
  const Candidate* candidate;
  std::vector<TrialSpec> trials{};  // one per search seed
  double validation = 0;            // mean
  std::size_t place = 0;            // among the model's candidates
};

/// The search among the candidates of one model.
struct ModelSearch {
  std::string model;
  std::vector<RankedCandidate> left{};  // those still in the search
  std::vector<TrialSpec> trials{};      // of all candidates
  std::size_t candidates = 0;

  /// Keeps the best by the validation of the first epochs.
  void keep_best(const TrialRecords& records, std::size_t epochs) {
    rank(records, epochs);
    left.resize(std::min<std::size_t>(left.size(), 1));
  }

  /// Keeps one in `reduction` of those with the same value of a hyperparameter, at least one.
  void halve(const TrialRecords& records, std::size_t epochs, double reduction,
             const std::string& within) {
    rank(records, epochs);
    std::vector<RankedCandidate> kept;
    for (const RankedCandidate& each : left) {
      const auto all = count_value(left, value_of(each, within), within);
      const auto part = std::ceil(static_cast<double>(all) / reduction - 1e-9);
      const auto fewer = std::min(static_cast<std::size_t>(part), all - 1);
      if (count_value(kept, value_of(each, within), within) < std::max<std::size_t>(1, fewer)) {
        kept.push_back(each);
      }
    }
    left = std::move(kept);
  }
  [[nodiscard]] bool can_be_halved(const std::string& within) const {
    return std::ranges::any_of(left, [&](const RankedCandidate& each) {
      return count_value(left, value_of(each, within), within) > 1;
    });
  }

 private:
  /// The candidate's value of a hyperparameter; none if it has no such hyperparameter.
  static std::optional<double> value_of(const RankedCandidate& ranked, const std::string& name) {
    const Configuration& all = ranked.candidate->configuration;
    const auto found = std::ranges::find_if(
        all, [&](const Hyperparameter& each) { return same_hyperparameter(each.name, name); });
    return found == all.end() ? std::nullopt : std::optional(found->value);
  }
  static std::size_t count_value(const std::vector<RankedCandidate>& among,
                                 const std::optional<double>& value, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        among, [&](const RankedCandidate& each) { return value_of(each, name) == value; }));
  }

  /// Sorts the best first, ties in the candidates' order.
  void rank(const TrialRecords& records, std::size_t epochs) {
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
  }
};

}  // namespace prism::inline PRISM_ISA::detail
