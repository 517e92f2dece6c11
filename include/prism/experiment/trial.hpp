// SPDX-License-Identifier: BSD-3-Clause
// One training run among many: a model with its hyperparameters and seed, which can be trained in
// stages, saved to a file, and evaluated when training is over.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/instruction_set.hpp"
#include "prism/data/fingerprint.hpp"
#include "prism/data/split.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/correlation.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/execution/host.hpp"
#include "prism/experiment/item_magnitudes.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/models/grid.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/options.hpp"
#include "prism/training/default_rate.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/metric.hpp"
#include "prism/training/retrain.hpp"
#include "prism/training/run_settings.hpp"
#include "prism/training/training_session.hpp"

namespace prism::inline PRISM_ISA {

/// The results of a trained model on the test set, ranked without the training and validation
/// items.
struct TrialReport {
  Report dot;
  Report cosine;
  double magnitude_popularity_correlation = 0;  ///< Spearman's, over items
  std::vector<MagnitudeBin> magnitudes{};       ///< by popularity; only bins with items
};

/// A model in training, type-erased.
class Trial {
 public:
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  virtual ~Trial() = default;

  /// Trains until `epochs` epochs are done in total, training is over, or `interrupted`, which may
  /// be empty, returns true after an epoch.
  /// @throws DivergenceError  as fit()
  /// @throws ArgumentError    for an invalid factor of the schedule or value of the metric
  virtual void train(std::size_t epochs, const std::function<bool()>& interrupted) = 0;
  [[nodiscard]] virtual const History& history() const = 0;
  /// Whether training is over.
  [[nodiscard]] virtual bool finished() const = 0;
  /// Writes everything needed to resume training.
  /// @throws DataError  if the file cannot be written
  virtual void save(const std::filesystem::path& checkpoint) = 0;
  /// Evaluates the best epoch's weights on the test set.
  /// @throws ArgumentError  if training is not over
  [[nodiscard]] virtual TrialReport report() = 0;

 protected:
  Trial() = default;
};

/// A trial that is made when its turn comes, and the key that identifies it.
struct TrialSpec {
  /// Everything that its results depend on, in words: trials with the same key have the same
  /// results.
  std::string key;
  /// The model's name: "MF<64> + DirectAU + FullWD + Xavier".
  std::string model;
  Configuration configuration{};
  std::uint64_t seed = 0;
  /// @param checkpoint  to resume from, if there is such a file
  std::function<std::unique_ptr<Trial>(const std::filesystem::path& checkpoint)> make;
  /// Makes the trial that retrains on training and validation set, as retrain() does, once this one
  /// is over. May be empty.
  /// @param history  of this trial
  /// @throws ArgumentError  if it has no best epoch
  std::function<TrialSpec(const History& history)> retrained{};
  bool retraining = false;          ///< whether it is such a trial
  std::size_t first_validated = 1;  ///< the first epoch that is validated
  /// Whether its record has validations_by_cosine. Not part of the key, because it does not change
  /// the other numbers.
  bool validates_by_cosine = false;
};

namespace detail {

template <class Model, class X>
class ModelTrial final : public Trial {
 public:
  ModelTrial(const X& exec, std::shared_ptr<const Split> split, typename Model::Options options,
             const FitOptions& fit, const std::filesystem::path& checkpoint)
      : exec_(exec),
        split_(std::move(split)),
        options_(std::move(options)),
        model_(exec, split_->train, options_),
        session_(begun(fit, checkpoint)) {}

  void train(std::size_t epochs, const std::function<bool()>& interrupted) override {
    while (!finished() && history().epochs.size() < epochs) {
      session_->run_epoch();
      if (interrupted && interrupted()) return;
    }
  }
  const History& history() const override { return session_->history(); }
  bool finished() const override { return session_->finished(); }
  void save(const std::filesystem::path& checkpoint) override { session_->save(checkpoint); }

  TrialReport report() override {
    require(finished(), "report", "must not be called before training is over");
    session_->run();  // which gives the model the best epoch's weights
    const auto scorer = model_.scorer(exec_);
    EvaluateOptions measure{.k = session_->options().k,
                            .exclude = {&split_->train, &split_->validation}};
    TrialReport report{.dot = evaluate(exec_, scorer, split_->test, measure), .cosine = {}};
    measure.similarity = Similarity::cosine;
    report.cosine = evaluate(exec_, scorer, split_->test, measure);
    const auto popularity = split_->train.item_degree();
    // The rows as trained: with a ranking from popularity the correlation is 1 by construction.
    const auto trained = model_.scorer(exec_, Ranking{});
    report.magnitude_popularity_correlation =
        prism::magnitude_popularity_correlation(trained.output.items(), popularity);
    report.magnitudes = magnitudes_by_popularity(trained.output.items(), popularity);
    return report;
  }

 private:
  using Session = TrainingSession<Model, X>;

  std::unique_ptr<Session> begun(const FitOptions& fit, const std::filesystem::path& checkpoint) {
    std::error_code unreadable;
    if (!checkpoint.empty() && std::filesystem::exists(checkpoint, unreadable)) {
      try {
        return std::unique_ptr<Session>(
            new Session(Session::resume(checkpoint, exec_, model_, *split_, fit)));
      } catch (const Error&) {
        // Starting from the beginning gives the same numbers.
        model_ = Model(exec_, split_->train, options_);
      }
    }
    return std::make_unique<Session>(exec_, model_, *split_, fit);
  }

  [[no_unique_address]] X exec_;
  std::shared_ptr<const Split> split_;
  typename Model::Options options_;
  Model model_;
  std::unique_ptr<Session> session_;
};

/// Identifies an execution that may round differently from the default; empty for the default.
template <class X>
[[nodiscard]] std::string execution_in_key() {
  if constexpr (std::same_as<X, Host<>>) return "";
  // "... [with X = prism::...::Serial; ...]" of g++, "... [X = prism::...::Serial]" of clang.
  const std::string function = std::source_location::current().function_name();
  const std::size_t begin = function.find("X = ") + 4;
  std::string name = function.substr(begin, function.find_first_of(";]", begin) - begin);
  const std::string unit = "compiled_for_" + std::string(instruction_set) + "::";  // g++ only
  for (std::size_t at; (at = name.find(unit)) != std::string::npos;) name.erase(at, unit.size());
  return "; on " + name;
}

/// The trial that retrains for as many epochs as another trial with these arguments found best.
template <class Model, class X>
[[nodiscard]] TrialSpec retrained_trial(const X& exec, TrialSpec spec,
                                        std::shared_ptr<const Split> split,
                                        typename Model::Options options, const FitOptions& fit,
                                        const History& history) {
  require(history.best_epoch > 0, "history", "has no best epoch to retrain up to");
  spec.key += "; trained anew on training and validation part, epochs " +
              std::to_string(history.best_epoch);
  // Records without these words are of training runs that did not follow the schedule.
  if (!fit.learning_rate) {
    spec.key += "; with the learning rate and schedule of that training";
  } else if (fit.schedule) {
    spec.key += "; with the schedule of that training";
  }
  spec.retrained = {};
  spec.retraining = true;
  spec.validates_by_cosine = false;  // there is no validation set
  if (options.ranking.chooses()) {
    require(history.best_chosen.has_value(), "history", "has no alpha or power that was chosen");
    options.ranking = options.ranking.with_choice(history.best_chosen).as_chosen();
  }
  History first = history;
  // A record has no steps per epoch and no NDCG beside the metric.
  first.steps_per_epoch = steps_per_epoch(split->train.size(), fit.batch_size);
  if (fit.metric.label() == Metric().label()) {
    for (EpochRecord& record : first.epochs) record.validation_ndcg = record.validation;
  }
  spec.make = [=](const std::filesystem::path& checkpoint) -> std::unique_ptr<Trial> {
    auto merged = std::make_shared<const Split>(merge_validation(*split));
    return std::make_unique<ModelTrial<Model, X>>(
        exec, std::move(merged), options,
        retraining_options<Model>(exec, split->train, options, first, fit), checkpoint);
  };
  return spec;
}

}  // namespace detail

/// Each part of a split in words, with a checksum of its interactions.
[[nodiscard]] inline std::string describe_split(const Split& split) {
  return "train: " + fingerprint(split.train) + "; validation: " + fingerprint(split.validation) +
         "; test: " + fingerprint(split.test);
}

/// A trial of a model. Its key has all options of the library's policies, and those of a
/// user-defined policy as far as for_each_option() or its label() covers them.
/// @param exec        where it is trained and evaluated; the host's threads if left out
/// @param options     with the configuration's hyperparameters set, as in `fit`
/// @param split_text  describe_split(*split), which is computed once for many trials
/// @throws ArgumentError  for a split without a test set, and for options that a trial cannot have:
///     stop, a checkpoint, best weights on disk, functions without a label as schedule or metric.
///     A schedule with a label of its own must not depend on times, nor on NDCG where the metric is
///     another: records do not have them for a trial that retrains
template <class Model, Execution X>
[[nodiscard]] TrialSpec trial_of(const X& exec, std::shared_ptr<const Split> split,
                                 const std::string& split_text, typename Model::Options options,
                                 const FitOptions& fit, Configuration configuration) {
  if constexpr (requires { Model::as_trained(options); }) {
    options = Model::as_trained(std::move(options));
  }
  require(!split->test.empty(), "split",
          "of a trial must have a test set, on which the trial is evaluated");
  require(!fit.stop, "stop",
          "cannot be an option of a trial: trials are identified by their options' values, and a "
          "function has none");
  require(fit.checkpoint.path.empty(), "checkpoint",
          "cannot be an option of a trial, because all trials would write the same file");
  require(fit.best_weights != BestWeights::on_disk, "best_weights",
          "of a trial cannot be on_disk, because all trials would write the same file");
  require(!fit.schedule || fit.schedule->has_label(), "schedule",
          "of a trial must have a label(), which distinguishes it from others");
  require(fit.metric.has_label(), "metric",
          "of a trial must be a member of Report, such as &Report::recall");
  require(!options.ranking.magnitude && options.ranking.magnitudes.empty(), "ranking",
          "of a trial must be by alpha, power or exponent: trials are identified by their options' "
          "values, and a function has none");
  TrialSpec spec{.key = {},
                 .model = model_name<Model>(options),
                 .configuration = std::move(configuration),
                 .seed = options.seed,
                 .make = {},
                 .first_validated =
                     std::min(fit.validate_every, fit.epochs.value_or(FitOptions::default_epochs)),
                 .validates_by_cosine = fit.validate_by_cosine && !split->validation.empty()};
  spec.key = spec.model + " (" + detail::describe_policies(options) + " + " +
             (sizeof(typename Model::scalar_type) == 4 ? "float" : "double");
  spec.key += "); seed " + std::to_string(options.seed);
  require(!options.ranking.chooses() || !split->validation.empty(), "ranking",
          "must not have values to choose from if split.validation is empty: give it one alpha or "
          "power");
  if (!options.ranking.is_default()) {
    spec.key += "; ranked with " + options.ranking.label();
  }
  const std::string rate =
      fit.learning_rate ? format_number(*fit.learning_rate)
                        : default_rate_rule(prism::loss_traits(options.loss).dot_product_logits,
                                            detail::learns_directions_alone(options));
  for (const detail::RunSetting& setting : detail::fit_settings(fit, rate)) {
    spec.key += "; " + setting.name + " " + setting.value;
  }
  spec.key += detail::execution_in_key<X>();
  if (fit.best_weights == BestWeights::last) spec.key += "; the last epoch's weights";
  if (fit.validate_every != 1) {
    spec.key += "; validated every " + std::to_string(fit.validate_every) + " epochs";
  }
  spec.key += "; epochs " + std::to_string(fit.epochs.value_or(FitOptions::default_epochs)) +
              ", patience " + std::to_string(fit.patience) + ", min_steps " +
              std::to_string(fit.min_steps) + "; " + split_text;
  spec.make = [=](const std::filesystem::path& checkpoint) -> std::unique_ptr<Trial> {
    return std::make_unique<detail::ModelTrial<Model, X>>(exec, split, options, fit, checkpoint);
  };
  if (!split->validation.empty()) {
    spec.retrained = [=](const History& history) {
      return detail::retrained_trial<Model>(exec, spec, split, options, fit, history);
    };
  }
  return spec;
}
template <class Model>
[[nodiscard]] TrialSpec trial_of(std::shared_ptr<const Split> split, const std::string& split_text,
                                 typename Model::Options options, const FitOptions& fit,
                                 Configuration configuration) {
  return trial_of<Model>(par, std::move(split), split_text, std::move(options), fit,
                         std::move(configuration));
}

}  // namespace prism::inline PRISM_ISA
