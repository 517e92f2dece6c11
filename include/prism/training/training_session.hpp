// SPDX-License-Identifier: BSD-3-Clause
// Training that can be stepped, saved at any moment and resumed bit-identically.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/random.hpp"
#include "prism/core/similarity.hpp"
#include "prism/core/staged_file.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/training/choose_ranking.hpp"
#include "prism/training/default_rate.hpp"
#include "prism/training/epoch_pairs.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/run_settings.hpp"
#include "prism/training/start_warnings.hpp"
#include "prism/training/trainer.hpp"
#include "prism/training/training_loop.hpp"
#include "prism/training/validation_reports.hpp"
#include "prism/training/working_model.hpp"

namespace prism::inline PRISM_ISA {

/// Trains a model; fit() is a session that runs once. After each epoch, or each that
/// FitOptions::validate_every selects, the validation set is ranked without the training items, by
/// dot product and on request by cosine. Model and split must outlive the session. The results
/// depend on the model's seed and the options, never on the number of threads.
///
/// Until run() ends, the model has the weights of the last step, except for rows whose steps the
/// optimizer has deferred; flush() applies these. If an observer throws, they are applied and
/// training can continue; if another observer requested a stop in the same step, it can continue
/// after allow_epochs().
///
/// On a device, the weights of the last step are in a copy of the model in device memory. The model
/// itself is updated before it is passed to observers, by flush(), at the end of run(), and when an
/// error ends a step.
template <class Model, Execution X = Host<>>
class TrainingSession final : public TrainingLoop<typename Model::scalar_type> {
  static_assert(has_implementation<X>);
  using Scalar = typename Model::scalar_type;
  using Loop = TrainingLoop<Scalar>;
  static constexpr bool can_be_saved =
      SavedState<typename Model::optimizer_type::template State<Scalar>, X>;

 public:
  /// @param exec   where training runs; the host's threads if left out
  /// @param split  over the users and items that the model was made with
  /// @throws ArgumentError  for an option outside its domain, a split of another shape, or a model
  ///     in a device's memory
  /// @throws DataError      if best weights on disk, or a checkpoint, cannot be written
  TrainingSession(const X& exec, Model& model, const Split& split, FitOptions options = {})
      : TrainingSession(NotBegun{}, exec, model, split, std::move(options)) {
    Loop::keep_first_weights();
  }
  TrainingSession(Model& model, const Split& split, FitOptions options = {})
      : TrainingSession(X{}, model, split, std::move(options)) {}
  TrainingSession(const X&, Model&, const Split&&, FitOptions = {}) = delete;
  TrainingSession(Model&, const Split&&, FitOptions = {}) = delete;

  /// Continues from where save() was called. The continuation is bit-identical to the uninterrupted
  /// run, wall-clock times aside, on the same execution and a machine whose processor and library
  /// compute alike. Needs memory for one more copy of the weights while reading.
  /// @param model    made like the saved one; its weights are replaced. If options leave the
  ///     learning rate unset, it must have the rows that the run began with, from which the default
  ///     is derived
  /// @param options  those of the run; only epochs, patience, min_steps, stop, checkpoint and
  ///     best_weights may differ (the last not from `last` to another value). Functions are assumed
  ///     to be the same. A run that an observer or the number of epochs ended continues if the
  ///     options allow it.
  /// @throws DataError      if the file cannot be read, is not a checkpoint, has another version or
  ///     is corrupt, or if FitOptions::checkpoint cannot be written; the model is then unchanged
  /// @throws ArgumentError  if model, split or options are not those of the run; the model is then
  ///     unchanged
  [[nodiscard]] static TrainingSession resume(const std::filesystem::path& path, const X& exec,
                                              Model& model, const Split& split,
                                              FitOptions options = {}) {
    check_resumable();
    return TrainingSession(path, exec, model, split, std::move(options));
  }
  [[nodiscard]] static TrainingSession resume(const std::filesystem::path& path, Model& model,
                                              const Split& split, FitOptions options = {}) {
    check_resumable();
    return TrainingSession(path, X{}, model, split, std::move(options));
  }
  static TrainingSession resume(const std::filesystem::path&, const X&, Model&, const Split&&,
                                FitOptions = {}) = delete;
  static TrainingSession resume(const std::filesystem::path&, Model&, const Split&&,
                                FitOptions = {}) = delete;

  /// Writes everything needed to resume training to a file. The file appears complete or not at
  /// all, and replaces a previous one. Does not change any later result; observers may call it.
  /// @throws DataError      if the file cannot be written
  /// @throws ArgumentError  if the path is FitOptions::best_weights_path, or an exception has ended
  ///     a step between two updates of the optimizer
  void save(const std::filesystem::path& path) {
    static_assert(can_be_saved,
                  "this optimizer cannot be saved: its State has no save() and load() with the "
                  "signatures in prism/policy/optimizer.hpp");
    Loop::write_checkpoint(path);
  }

  /// Trains on one batch; after the last batch of an epoch, ranks the validation set, if
  /// FitOptions::validate_every selects the epoch, and decides whether to stop. Writes a checkpoint
  /// when one is due.
  /// @throws ArgumentError    if finished(), or for an invalid factor of the schedule
  /// @throws DivergenceError  if the loss, a weight or a row's squared magnitude is no longer
  ///     finite; the model then has the weights of its best epoch so far (without a validation set,
  ///     its last good one), and training is over
  template <class... Observers>
  StepRecord step(Observers&&... observers) {
    return Loop::step(refs(observers...));
  }

  /// Trains to the end of the epoch, unless training stops earlier. Throws as step().
  /// @return whether the epoch has ended: history().epochs.back() is then its record
  template <class... Observers>
  bool run_epoch(Observers&&... observers) {
    const auto watching = refs(observers...);
    bool ended = false;
    while (!ended && !this->finished()) ended = Loop::step(watching).epoch_ended;
    return ended;
  }

  /// Trains until training is over, ranks the validation set after the last epoch unless that has
  /// been done, and gives the model the weights of its best epoch. If no epoch ranked better than
  /// the weights that a trained model began with, the model gets those back. It keeps the weights
  /// of the last step without a validation set, if no epoch has ended, or if it was not trained
  /// before and no epoch was validated. Calls begin and end of the observers; without observers,
  /// nothing is shown. Throws as step().
  template <class... Observers>
  const History& run(Observers&&... observers) {
    return Loop::run(refs(observers...));
  }

  void flush() override {
    trainer_.flush();
    working_.publish();
  }
  [[nodiscard]] std::uint64_t steps() const noexcept override { return trainer_.steps(); }

 private:
  struct NotBegun {};

  static consteval void check_resumable() {
    static_assert(can_be_saved,
                  "this optimizer cannot be resumed: its State has no save() and load() with the "
                  "signatures in prism/policy/optimizer.hpp");
  }

  TrainingSession(NotBegun, const X& exec, Model& model, const Split& split, FitOptions&& options)
      : Loop(split, checked(std::move(options), exec, model, split),
             memory_of(exec, model.memory()), model.trained(),
             model.ranking().chooses() ? model.ranking().chosen() : std::nullopt, copies_on(exec)),
        exec_(exec),
        working_(exec, model),
        model_(working_.get()),
        trainer_(model_, exec),
        pairs_(split.train, model.options().seed, this->options().shuffle, memory_of(exec)) {}

  TrainingSession(const std::filesystem::path& path, const X& exec, Model& model,
                  const Split& split, FitOptions&& options)
      : TrainingSession(NotBegun{}, exec, model, split, std::move(options)) {
    Loop::read_checkpoint(path);
    if (steps() > 0 || this->history().initial_validation) model_.set_trained();
    working_.publish();
  }

  static FitOptions checked(FitOptions&& options, const X& exec, const Model& model,
                            const Split& split) {
    model.check_on_host();
    detail::check(options, split, model.train());
    require(!model.ranking().chooses() || !split.validation.empty(), "ranking",
            "must not have values to choose from if split.validation is empty: give it one alpha "
            "or power");
    require(can_be_saved || options.checkpoint.path.empty(), "checkpoint",
            "cannot be written: the optimizer's State has no save() and load() with the "
            "signatures in prism/policy/optimizer.hpp");
    // Fails now, not at the first checkpoint, if the file cannot be written.
    if (!options.checkpoint.path.empty())
      static_cast<void>(detail::StagedFile(options.checkpoint.path));
    if (!options.epochs) options.epochs = FitOptions::default_epochs;
    detail::set_default_rate(options, exec, model, !split.validation.empty());
    // A model type may fix it, as Released does.
    if constexpr (requires { Model::shuffle; }) options.shuffle = Model::shuffle;
    return std::move(options);
  }

  static detail::CopyNumbers<Scalar> copies_on(const X& exec) {
    return [exec](std::span<const Scalar> from, std::span<Scalar> to) {
      copy_numbers(exec, from, to);
      synchronise(exec);  // another thread may step next
    };
  }

  template <class... Observers>
  [[nodiscard]] std::array<detail::ObserverRef, sizeof...(Observers)> refs(
      Observers&... observers) const {
    detail::check_observers<Model, Observers...>();
    return {detail::observer_ref(observers, working_.published())...};
  }

  detail::WeightSpans<Scalar> weights() override {
    synchronise(exec_);
    return detail::weight_spans(model_.weights());
  }
  void apply_deferred() override { trainer_.flush(); }
  void publish() override { working_.publish(); }
  double train(std::size_t first, std::size_t count, double learning_rate) override {
    trainer_.check_device();
    // If a run is resumed within an epoch, its weights already include the effect of begin_epoch.
    if (first == 0) trainer_.begin_epoch(this->epoch());
    const auto batch = pairs_.of(exec_, this->epoch()).subspan(first, count);
    const Random random(model_.options().seed, Stream::negatives,
                        static_cast<std::uint32_t>(this->epoch()));
    return trainer_.step(batch, trainer_.sample(batch, random, first), learning_rate);
  }
  bool finite() override { return trainer_.finite(); }
  bool whole() const noexcept override { return trainer_.whole(); }
  void mark_untrained() noexcept override { model_.set_trained(false); }
  detail::ValidationReports validate(bool by_cosine, detail::ChoiceSearch search) override {
    // A scorer is enough: detail::check has verified that validation and training set are disjoint.
    // On a device, the working model's copy of the training set is the one that it can read.
    const Interactions& train = DeviceExecution<X> ? model_.train() : this->split().train;
    const Interactions& validation = this->split().validation;
    const Ranking ranking = model_.ranking();
    const auto scorer = model_.scorer(exec_, Ranking{});
    EvaluateOptions measure{.k = this->options().k, .exclude = {&train}};
    const auto quality = [&](const Ranking& with, const Interactions& relevant) {
      return evaluate(exec_, with_ranking(exec_, scorer, with, train), relevant, measure);
    };
    detail::ValidationReports reports;
    if (ranking.chooses()) {
      if (!choice_sample_) choice_sample_ = detail::sample_to_choose_on(validation);
      auto choice = detail::choose_ranking(ranking, search, {validation, *choice_sample_},
                                           this->options().metric, quality);
      rank_with(choice.value);
      reports.chosen = choice.value;
      reports.by_dot = std::move(choice.report);
    } else {
      reports.by_dot = quality(ranking, validation);
    }
    if (by_cosine) {
      measure.similarity = Similarity::cosine;
      reports.by_cosine = evaluate(exec_, scorer, validation, measure);
    }
    return reports;
  }
  void rank_with(std::optional<double> chosen) override {
    if (!model_.ranking().chooses()) return;
    const Ranking ranking = model_.ranking().with_choice(chosen);
    working_.published().set_ranking(ranking);
    if constexpr (DeviceExecution<X>) model_.set_ranking(ranking);
  }
  std::string model_name() const override { return model_.name(); }
  std::vector<std::string> start_warnings() const override {
    return detail::start_warnings(host_of(exec_), working_.published());
  }
  std::vector<detail::RunSetting> model_settings() override {
    return detail::model_settings(model_);
  }
  void save_optimizer(BinaryWriter& out) const override {
    if constexpr (can_be_saved) trainer_.save(out);
  }
  void load_optimizer(BinaryReader& in) override {
    if constexpr (can_be_saved) trainer_.load(in);
  }

  [[no_unique_address]] X exec_;
  detail::WorkingModel<Model, X> working_;
  Model& model_;
  Trainer<Model, X> trainer_;
  detail::EpochPairs pairs_;
  std::optional<Interactions> choice_sample_{};  // once alpha or power is to be chosen
};

}  // namespace prism::inline PRISM_ISA
