// SPDX-License-Identifier: BSD-3-Clause
// Interface of an experiment: loads data, trains and evaluates a model.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <prism/data.hpp>
#include <prism/evaluate/evaluate.hpp>
#include <prism/evaluate/ranked_lists.hpp>
#include <prism/evaluate/test_time_aggregation.hpp>
#include <prism/experiment/item_magnitudes.hpp>
#include <prism/experiment/spec_trial.hpp>
#include <prism/experiment/trial.hpp>
#include <prism/training/history.hpp>
#include <string>
#include <utility>
#include <vector>

#include "option_names.hpp"
#include "settings.hpp"

namespace experiment {

/// The results of one model.
struct Run {
  ModelChoice choice;
  std::string name;
  std::optional<std::string> error{};         // the reason, if there are no results
  std::optional<std::string> save_error{};    // why the model could not be saved
  std::optional<std::string> not_recorded{};  // why --json lacks this run
  // Why the last checkpoint could not be written, after training was complete.
  std::optional<std::string> checkpoint_error{};
  // The error that ended training early; the results are those of the best epoch until then.
  std::optional<std::string> training_error{};
  std::optional<std::string> log_error{};  // why --log lacks epochs
  // Why the model is that of the first training in spite of --retrain.
  std::optional<std::string> retraining_error{};
  std::vector<std::string> policies{};  // with their options
  prism::History history{};
  std::optional<prism::History> retraining{};            // with --retrain
  std::optional<prism::AggregationPoint> aggregation{};  // on the validation set, with --aggregate
  std::optional<prism::RankedLists> lists{};             // of the test set, by dot product
  prism::Report dot{};                                   // of these lists
  prism::Report cosine{};
  std::optional<prism::Report> as_trained{};           // by dot product, without the aggregation
  double magnitude_popularity_correlation = 0;         // of items
  std::vector<prism::MagnitudeBin> item_magnitudes{};  // as they are ranked

  /// Whether a signal ended training.
  [[nodiscard]] bool interrupted() const {
    const auto ended = [](const prism::History& of) {
      return of.stop_reason == prism::StopReason::observer;
    };
    return !training_error && (ended(history) || (retraining && ended(*retraining)));
  }
  /// Whether the model is that of a retraining, which no signal ended.
  [[nodiscard]] bool retrained() const {
    return retraining && retraining->stop_reason != prism::StopReason::observer;
  }
  /// Whether training was completed.
  [[nodiscard]] bool complete() const { return !training_error && !interrupted(); }
  /// Whether there is a model to test: training neither diverged nor ended in its first epoch.
  [[nodiscard]] bool has_results() const { return !error && !history.epochs.empty(); }
  /// What ended training, if it is not complete() or diverged.
  [[nodiscard]] std::string ended_by() const {
    if (error) return "training diverged";
    return training_error ? "an error ended training" : "a signal ended training";
  }
};

/// Reports how a file was read: once per file, whatever the seeds.
inline void show_summary(const Settings& settings, const prism::Interactions& data) {
  if (settings.seed != settings.seeds.front()) return;
  const std::string& file = data.read_summary()->file;
  const std::string text = prism::describe(*data.read_summary()).substr(file.size());
  std::fprintf(stderr, "%s%s\n", file.c_str(), programs::in_options(text).c_str());
}

/// The same for a training set, with what is doubtful about its columns.
inline void show_training_summary(const Settings& settings, const prism::Interactions& data) {
  show_summary(settings, data);
  const std::string doubt = prism::doubt_about_columns(*data.read_summary());
  if (settings.seed != settings.seeds.front() || doubt.empty()) return;
  std::fprintf(stderr, "warning: %s: %s\n", settings.data.c_str(),
               programs::in_options(doubt).c_str());
}

inline prism::Split load(const Settings& settings) {
  using namespace prism;
  const ReadOptions options = settings.read_options();
  if (settings.test_is_given()) {
    const auto [train, test] =
        settings.test.empty()
            ? read_train_test(settings.data,
                              {*programs::column(settings.test_column), settings.test_value},
                              options)
            : read_train_test(settings.data, settings.test, options);
    show_training_summary(settings, train);
    show_summary(settings, test);
    try {
      return given_split(train, test,
                         {.validation = settings.validation_part,
                          .method = split_methods.at(settings.split),
                          .seed = settings.seed,
                          .drop_repeated = settings.drop_repeated});
    } catch (const ArgumentError& error) {
      if (error.argument() != "test") throw;
      const std::string problem = error.problem();
      throw ArgumentError(settings.test_option(), problem);
    }
  }
  const Interactions data = settings.data.empty()
                                ? synthetic_interactions({.users = settings.synthetic_users,
                                                          .items = settings.synthetic_items,
                                                          .seed = settings.seed})
                                : read_interactions(settings.data, options);
  if (!settings.data.empty()) show_training_summary(settings, data);
  return split_by(
      split_methods.at(settings.split), data,
      {.validation = settings.validation_part, .test = settings.test_part, .seed = settings.seed});
}

/// @throws prism::ArgumentError  if there is nothing to validate or to test on
inline void check_parts(const Settings& settings, const prism::Split& split) {
  prism::require(!split.test.empty() || !settings.test_is_given(), settings.test_option(),
                 settings.drop_repeated ? "has only interactions that the rest of the data also has"
                                        : "has no interactions");
  const std::string reason =
      settings.split == "temporal_global"
          ? "too small, or has too many interactions at the same time, to be split by time"
      : settings.split == "random"
          ? "too small"
          : "too small: no user has enough interactions for --split " + settings.split;
  const bool draws_test = settings.split == "random" && !settings.test_is_given();
  const std::string advice =
      draws_test ? "; a larger --validation-part or --test-part may help" : "";
  prism::require(!split.validation.empty() && !split.test.empty(), "--data",
                 "is " + reason + ": the validation or the test set would be empty" + advice);
  bool one_each = true;  // whether every interaction has a user of its own
  for (prism::Index user = 0; user < split.train.users(); ++user) {
    one_each &= split.train.user_degree()[user] + split.validation.user_degree()[user] +
                    split.test.user_degree()[user] <=
                1;
  }
  prism::require(!one_each, "--data",
                 "has a user of its own in every line, so no interaction of the test set has a "
                 "user and an item that are both in the training set, and no model can be tested; "
                 "if another column has the users, choose it with --user-column");
  if (settings.seed != settings.seeds.front()) return;
  for (const auto& [part, name] :
       {std::pair(&split.validation, "validation"), std::pair(&split.test, "test")}) {
    if (prism::count_not_in_training(split.train, *part) < part->size()) continue;
    std::fprintf(stderr,
                 "warning: no interaction of the %s set has a user and an item that are both in "
                 "the training set; the data is too small, or another column has the users\n",
                 name);
  }
}

/// The number of users of the validation and test sets without any training interaction.
[[nodiscard]] inline std::size_t users_not_in_training(const prism::Split& split) {
  std::size_t count = 0;
  for (prism::Index user = 0; user < split.train.users(); ++user) {
    const bool other = split.validation.user_degree()[user] + split.test.user_degree()[user] > 0;
    count += other && split.train.user_degree()[user] == 0 ? 1 : 0;
  }
  return count;
}

/// The interactions that no model can learn to rank, and their users, in words; empty if there are
/// none.
[[nodiscard]] inline std::string describe_unknown(const prism::Split& split) {
  const std::size_t validation = prism::count_not_in_training(split.train, split.validation);
  const std::size_t test = prism::count_not_in_training(split.train, split.test);
  if (validation + test == 0) return "";
  return "; " + std::to_string(validation) + " of the validation set and " + std::to_string(test) +
         " of the test set have a user or an item that is not in the training set; " +
         std::to_string(users_not_in_training(split)) + " users are not in it";
}

/// A split that trials share, and its description.
[[nodiscard]] inline prism::TrialData shared(prism::Split split) {
  auto kept = std::make_shared<const prism::Split>(std::move(split));
  std::string text = prism::describe_split(*kept);
  return {.split = std::move(kept), .split_text = std::move(text)};
}

/// Trains and evaluates a model. If training diverges, Run::error has the message.
[[nodiscard]] Run run(const Settings& settings, const ModelChoice& choice,
                      const prism::Split& split);

}  // namespace experiment
