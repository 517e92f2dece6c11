// SPDX-License-Identifier: BSD-3-Clause
#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <prism/core/error.hpp>
#include <prism/core/execution.hpp>
#include <prism/evaluate/correlation.hpp>
#include <prism/evaluate/evaluate.hpp>
#include <prism/evaluate/ranked_lists.hpp>
#include <prism/evaluate/test_time_aggregation.hpp>
#include <prism/models/any_recommender.hpp>
#include <prism/policy/output.hpp>
#include <prism/training/progress.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interrupt.hpp"
#include "model.hpp"
#include "option_names.hpp"
#include "record.hpp"
#include "saved_model.hpp"
#include "settings.hpp"

namespace experiment {

namespace {

using prism::AnyRecommender;
using prism::AnyTrainingSession;

/// Appends a line for each epoch to --log, if it is given.
class Log {
 public:
  Log(const Settings& settings, std::string model, bool retraining)
      : file_(settings.log), model_(std::move(model)), retraining_(retraining) {
    if (!file_.empty()) lines_.open(file_, std::ios::app);
  }
  /// Training goes on without a log that cannot be written.
  void write(const prism::EpochRecord& record) {
    if (file_.empty() || error_) return;
    prism::Json line = to_json(record);
    line["model"] = model_;
    if (retraining_) line["retraining"] = true;
    lines_ << line.dump(-1, ' ', false, prism::Json::error_handler_t::replace) << std::endl;
    if (!lines_) error_ = file_ + ": cannot be written";
  }

  [[nodiscard]] const std::optional<std::string>& error() const noexcept { return error_; }

 private:
  std::string file_, model_;
  bool retraining_;
  std::ofstream lines_;
  std::optional<std::string> error_{};
};

/// Shows progress unless --quiet, with options named as on the command line, and stops training
/// once a signal is caught.
class Callbacks {
 public:
  Callbacks(const Settings& settings, const AnyRecommender& model, bool retraining)
      : quiet_(settings.quiet), log_(settings, model.name(), retraining) {}

  [[nodiscard]] prism::TrainingCallbacks get() {
    prism::TrainingCallbacks callbacks;
    callbacks.epoch_reads_model = false;
    callbacks.batch = [this](const prism::EpochProgress& done) {
      if (!quiet_) progress_.batch(done);
      return caught_signal() != 0 ? prism::StopRequest::stop : prism::StopRequest::none;
    };
    callbacks.begin = [this](prism::FitInfo info) {
      for (std::string& warning : info.warnings) warning = programs::in_options(warning);
      if (!quiet_) progress_.begin(info);
    };
    callbacks.epoch = [this](const prism::EpochRecord& record) {
      if (!quiet_) progress_.epoch(record);
      log_.write(record);
      return prism::StopRequest::none;
    };
    callbacks.end = [this](prism::History history) {
      ended_ = history;
      for (std::string& warning : history.warnings) warning = programs::in_options(warning);
      if (!quiet_) progress_.end(history);
    };
    return callbacks;
  }

  /// Why --log has not all epochs.
  [[nodiscard]] const std::optional<std::string>& log_error() const noexcept {
    return log_.error();
  }

  /// With which training ended.
  [[nodiscard]] const prism::History& history() const noexcept { return ended_; }

 private:
  bool quiet_;
  Log log_;
  prism::Progress progress_{};
  prism::History ended_{};
};

/// Gives a model the rows and parameters of the saved one that --warm-start names.
/// @throws prism::ArgumentError  if they do not fit
void warm_start(const Settings& settings, AnyRecommender& model) {
  prism::KnownRows known;
  try {
    known = model.warm_start(settings.warm_start);
  } catch (const prism::ArgumentError& error) {
    throw prism::ArgumentError("--warm-start", "the model " + std::string(error.problem()));
  }
  if (settings.quiet) return;
  const prism::Interactions& train = model.train();
  std::fprintf(stderr, "warm start: %u of %u users and %u of %u items are known to %s\n",
               known.users, train.users(), known.items, train.items(), settings.warm_start.c_str());
}

/// @throws prism::ArgumentError  if more epochs are done already than --epochs allows
void check_epochs(const Settings& settings, const AnyTrainingSession& session,
                  const std::filesystem::path& checkpoint) {
  const std::size_t done = session.history().epochs.size();
  const bool within = session.steps() > done * session.history().steps_per_epoch;
  prism::require(settings.epochs >= done + (within ? 1 : 0), "epochs",
                 "must be at least " + std::to_string(done + (within ? 1 : 0)) + ": " +
                     std::to_string(done) + (within ? " and part of the next" : "") +
                     " are complete in " + checkpoint.string());
}

/// Trains a model from its checkpoint, if there is one and --resume is set, or else from the
/// beginning. If a checkpoint cannot be written, training ends and the run records why; if training
/// had already finished, the run stays complete.
void train(const Settings& settings, AnyRecommender& model, const prism::Split& split,
           prism::FitOptions fitting, Run& run) {
  if (!settings.checkpoint.empty()) fitting.checkpoint.path = checkpoint_file(settings, run.choice);
  const auto& path = fitting.checkpoint.path;
  const bool resumed = settings.resume && std::filesystem::exists(path);
  const std::unique_ptr<AnyTrainingSession> session =
      resumed ? model.resume(path, split, fitting) : model.session(split, fitting);
  if (resumed) check_epochs(settings, *session, path);
  if (settings.resume && !settings.quiet) {
    const std::string found =
        resumed ? ": continues after epoch " + std::to_string(session->history().epochs.size())
                : " does not exist: begins anew";
    std::fprintf(stderr, "checkpoint %s%s\n", path.string().c_str(), found.c_str());
  }
  Callbacks callbacks(settings, model, false);
  try {
    session->run(callbacks.get());
  } catch (const prism::DataError& error) {
    (session->finished() ? run.checkpoint_error : run.training_error) = error.what();
    session->stop();
    session->run();
  }
  run.history = session->history();
  run.log_error = callbacks.log_error();
}

/// Saves a model; keeps any error, to be printed after the table.
void save(const Settings& settings, const AnyRecommender& model, Run& run) {
  try {
    run.save_error = why_not_saved(settings, run);
    if (run.save_error) return;
    model.save(model_folder(settings, run.choice), saved_notes(settings, run));
  } catch (const std::exception& error) {
    run.save_error = error.what();
  }
}

/// Retrains a model on training and validation set, for --retrain. If that fails, or a signal ends
/// it, keeps the model of the first training.
void retrain(const Settings& settings, std::unique_ptr<AnyRecommender>& model,
             const prism::Split& split, const prism::FitOptions& fitting, Run& run) {
  if (!run.complete()) return;
  prism::History& retraining = run.retraining.emplace();
  if (caught_signal() != 0) {  // caught after the last step of the first training
    retraining.stop_reason = prism::StopReason::observer;
    return;
  }
  Callbacks callbacks(settings, *model, true);
  try {
    auto again = model->retrained(split, run.history, fitting, callbacks.get());
    retraining = callbacks.history();
    if (!run.log_error) run.log_error = callbacks.log_error();
    if (run.retrained()) model = std::move(again);
    // The warnings of the retraining would repeat those of the first training, or advise against
    // the number of epochs, which validation has chosen.
    retraining.warnings.clear();
  } catch (const std::exception& error) {
    run.retraining.reset();
    run.retraining_error = error.what();
  }
}

/// Ranks the test set.
void test(const Settings& settings, const AnyRecommender& model, const prism::Split& split,
          Run& run) {
  prism::EvaluateOptions measure{.exclude = {&split.train, &split.validation}};
  const std::size_t length = measure.k;
  for (const std::size_t k : settings.at) measure.k = std::max(measure.k, k);
  const prism::EvaluateOptions lists = measure;
  measure.k = length;
  measure.similarity = prism::Similarity::cosine;
  if (run.aggregation) {
    run.as_trained = model.evaluate(split.test, {.exclude = {&split.train, &split.validation}});
    const prism::AnyScorer scorer = model.scorer();
    const auto aggregated = prism::with_aggregation(prism::float_scorer(scorer), model.train(),
                                                    run.aggregation->aggregation);
    run.lists = prism::ranked_lists(aggregated, split.test, lists);
    run.cosine = prism::evaluate(aggregated, split.test, measure);
    run.magnitude_popularity_correlation = prism::magnitude_popularity_correlation(
        aggregated.output.items(), model.train().item_degree());
    run.item_magnitudes =
        prism::magnitudes_by_popularity(aggregated.output.items(), model.train().item_degree());
  } else {
    run.lists = model.ranked_lists(split.test, lists);
    run.cosine = model.evaluate(split.test, measure);
    const prism::AnyScorer scorer = model.scorer();
    run.item_magnitudes = prism::magnitudes_by_popularity(
        prism::float_scorer(scorer).output.items(), model.train().item_degree());
  }
  run.dot = run.lists->report(length);
  if (run.aggregation && run.choice.ranking.is_default()) return;
  // The rows as trained: with magnitudes from popularity the correlation would be 1.
  const prism::AnyScorer trained =
      run.choice.ranking.is_default() ? model.scorer() : model.scorer(prism::Ranking{});
  run.magnitude_popularity_correlation = prism::magnitude_popularity_correlation(
      prism::float_scorer(trained).output.items(), model.train().item_degree());
}

}  // namespace

Run run(const Settings& settings, const ModelChoice& choice, const prism::Split& split) {
  Run run{.choice = choice, .name = {}};
  const prism::FitOptions fitting = fit_options(settings);
  std::unique_ptr<AnyRecommender> model = make_model(settings, choice, split.train);
  run.name = model->name();
  run.policies = model->policies();
  if (!settings.warm_start.empty()) warm_start(settings, *model);
  try {
    train(settings, *model, split, fitting, run);
    if (settings.aggregate && run.complete() && caught_signal() == 0) {
      const prism::AnyScorer scorer = model->scorer();
      run.aggregation = prism::best_aggregation(
          prism::aggregation_points(prism::par, prism::float_scorer(scorer), model->train(),
                                    split.validation, prism::aggregation_grid));
    }
    if (settings.retrain) retrain(settings, model, split, fitting, run);
  } catch (const prism::DivergenceError& error) {
    run.error = error.what();
    return run;
  }
  if (!settings.save.empty()) save(settings, *model, run);
  if (run.has_results()) test(settings, *model, split, run);
  return run;
}

}  // namespace experiment
