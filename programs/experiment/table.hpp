// SPDX-License-Identifier: BSD-3-Clause
// Results as text: the data, a baseline, the table of models and their warnings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <prism/data/split.hpp>
#include <prism/evaluate/evaluate.hpp>
#include <prism/evaluate/most_popular.hpp>
#include <prism/evaluate/paired_test.hpp>
#include <string>
#include <vector>

#include "option_names.hpp"
#include "run.hpp"
#include "settings.hpp"

namespace experiment {

/// Prints the data's name and the sizes of its parts, on one line.
inline void print_split(const Settings& settings, const prism::Split& split) {
  std::printf(
      "%s: %u users x %u items; %zu interactions to train on, %zu to validate, %zu to test%s\n",
      settings.data.empty() ? "synthetic" : settings.data.c_str(), split.train.users(),
      split.train.items(), split.train.size(), split.validation.size(), split.test.size(),
      describe_unknown(split).c_str());
  std::fflush(stdout);
}

inline constexpr const char* baseline_name = "most popular items";
inline constexpr const char* worse_than_baseline =
    "ranks worse than recommending the most popular items, which needs no training";

/// The quality on the test set of recommending the most popular items to every user.
/// @param retrained  whether popularity is that in training and validation set
[[nodiscard]] inline prism::Report baseline(const prism::Split& split, bool retrained) {
  const auto scorer =
      prism::most_popular(retrained ? prism::merge_validation(split).train : split.train);
  return prism::evaluate(scorer, split.test, {.exclude = {&split.train, &split.validation}});
}

/// Prints each run's warnings: about training, its early end, output not written, poor ranking.
/// @param popular  the baseline of a run
template <class Popular>
void print_warnings(const Popular& popular, const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const auto print = [&](const std::string& warning) {
      std::printf("\nwarning: %s: %s\n", run.name.c_str(), programs::in_options(warning).c_str());
    };
    if (run.error) {
      if (run.not_recorded) print("was not recorded: " + *run.not_recorded);
      continue;
    }
    for (const std::string& warning : run.history.warnings) print(warning);
    const std::string results =
        run.has_results() ? "; its results are those of the best epoch so far" : "";
    if (run.interrupted() && run.retraining) {
      print(
          "was not retrained: a signal ended that; its results are those of the training set "
          "alone");
    } else if (run.interrupted()) {
      print("ended by a signal" + results);
    }
    if (run.training_error) print("ended by an error, " + *run.training_error + results);
    if (run.retraining_error) {
      print("was not retrained: " + *run.retraining_error +
            "; its results are those of the training set alone");
    }
    if (run.checkpoint_error)
      print("its last checkpoint could not be written: " + *run.checkpoint_error);
    if (run.save_error) print("was not saved: " + *run.save_error);
    if (run.not_recorded) print("was not recorded: " + *run.not_recorded);
    if (run.has_results() && run.dot.ndcg < popular(run).ndcg) {
      print(worse_than_baseline);
    }
  }
}

/// Prints whether the best model's NDCG is more than chance above that of each other model, by a
/// paired test over the users.
inline void print_differences(const std::vector<Run>& runs) {
  const Run* best = nullptr;
  std::size_t width = 0, tested = 0;
  for (const Run& run : runs) {
    if (!run.lists) continue;
    ++tested;
    width = std::max(width, run.name.size());
    if (best == nullptr || run.dot.ndcg > best->dot.ndcg) best = &run;
  }
  if (tested < 2 || best->dot.users < 2) return;
  std::printf(
      "\nNDCG@%zu below that of %s, the best on these %zu users,\nwith the 95 %% confidence "
      "interval and the p-value of a paired t test, times the number of tests:\n",
      best->dot.k, best->name.c_str(), best->dot.users);
  const auto tests = static_cast<double>(tested - 1);
  const std::vector<double> of_best = best->lists->metrics(best->dot.k).ndcg;
  for (const Run& run : runs) {
    if (!run.lists || &run == best) continue;
    const prism::PairedTest test =
        prism::paired_t_test(of_best, run.lists->metrics(run.dot.k).ndcg);
    std::printf("  %-*s  %8.5f  from %8.5f to %8.5f  p = %.2g\n", static_cast<int>(width),
                run.name.c_str(), test.difference, test.low, test.high,
                std::min(1.0, tests * test.p_value));
  }
}

/// The models' results, with a baseline that recommends the most popular items to every user.
inline void print_table(const prism::Split& split, const std::vector<Run>& runs) {
  std::size_t width = std::string(baseline_name).size();
  for (const Run& run : runs) width = std::max(width, run.name.size());
  const int w = static_cast<int>(width);
  std::printf(
      "\n%-*s  NDCG@20 =  popular + neutral + unpopular  recall  best epoch  seconds  rho\n", w,
      "model");
  const auto print_quality = [w](const char* name, const prism::Report& report) {
    const auto& [popular, neutral, unpopular] = report.ndcg_by_stratum;
    std::printf("%-*s  %7.5f   %8.5f  %8.5f   %9.5f  %6.4f", w, name, report.ndcg, popular, neutral,
                unpopular, report.recall);
  };
  const bool retrained = std::ranges::any_of(runs, &Run::retrained);
  const prism::Report popular = baseline(split, retrained);
  print_quality(baseline_name, popular);
  std::printf("\n");
  for (const Run& run : runs) {
    if (run.error) {
      std::printf("%-*s  %s\n", w, run.name.c_str(), programs::in_options(*run.error).c_str());
      continue;
    }
    if (!run.has_results()) {
      std::printf("%-*s  ended before its first epoch was complete\n", w, run.name.c_str());
      continue;
    }
    print_quality(run.name.c_str(), run.dot);
    const double seconds = run.history.seconds + (run.retraining ? run.retraining->seconds : 0);
    std::printf("  %10zu  %7.1f  %5.2f\n", run.history.best_epoch, seconds,
                run.magnitude_popularity_correlation);
  }
  std::printf(
      "\nNDCG@20 on the test set, ranked by dot product (MACR by its ranking rule), and the parts "
      "of it due\nto hits among the 5%% most popular items, the next 15%% and the rest; recall at "
      "20; rho: Spearman's\ncorrelation of the magnitudes that training gave the items and "
      "popularity.\n");
  print_differences(runs);
  for (const Run& run : runs) {
    if (!run.has_results()) continue;
    if (run.history.best_chosen) {
      std::printf("\n%s: ranked with %s %s, chosen on the validation set\n", run.name.c_str(),
                  run.choice.ranking.powers.empty() ? "alpha" : "power",
                  prism::format_number(*run.history.best_chosen).c_str());
    }
    if (run.retrained()) {
      std::printf("\n%s: tested after retraining on training and validation set\n",
                  run.name.c_str());
    }
    if (!run.aggregation) continue;
    std::printf(
        "\n%s: test-time aggregation %s: NDCG@20 %.5f on the validation set (%.5f without), %.5f "
        "on the test set (%.5f without)\n",
        run.name.c_str(), run.aggregation->aggregation.label().c_str(),
        run.aggregation->report.ndcg, run.history.best_validation_ndcg, run.dot.ndcg,
        run.as_trained->ndcg);
  }
  print_warnings(
      [&](const Run& run) {
        return run.retrained() == retrained ? popular : baseline(split, run.retrained());
      },
      runs);
}

}  // namespace experiment
