// SPDX-License-Identifier: BSD-3-Clause
// A type-erased model, for programs that use models compiled in a library of their own. Includes
// nothing that computes, and no other library's header; models/make_any_recommender.hpp makes
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/serve/known_rows.hpp"
#include "prism/serve/recommend_options.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"

namespace prism::inline PRISM_ISA {

struct Ranking;     // prism/policy/ranking.hpp
class RankedLists;  // prism/evaluate/ranked_lists.hpp
template <class T>
struct Scorer;  // prism/policy/output.hpp

/// The rows that a model ranks with, in its scalar type.
using AnyScorer =
    std::variant<std::shared_ptr<const Scorer<float>>, std::shared_ptr<const Scorer<double>>>;

/// The rows of a model whose scalar type is float, as that of each model of prism::models is.
/// @throws std::bad_variant_access  for another scalar type
[[nodiscard]] inline const Scorer<float>& float_scorer(const AnyScorer& scorer) {
  return *std::get<std::shared_ptr<const Scorer<float>>>(scorer);
}

/// What training calls, as the members of an observer (training/observer.hpp); each may be empty.
/// `epoch` may call const members of the model, which then use the weights of this epoch.
struct TrainingCallbacks {
  std::function<void(const FitInfo&)> begin{};
  std::function<StopRequest(const EpochProgress&)> batch{};  ///< after each step
  std::function<StopRequest(const EpochRecord&)> epoch{};
  std::function<void(const History&)> end{};
  /// Whether `epoch` calls members of the model. If not, training on a device need not copy the
  /// weights to the host after each epoch.
  bool epoch_reads_model = true;

  TrainingCallbacks() = default;
  /// From a function that is called after each epoch.
  template <class OnEpoch>
    requires std::is_invocable_r_v<StopRequest, OnEpoch&, const EpochRecord&>
  TrainingCallbacks(OnEpoch on_epoch) : epoch(std::move(on_epoch)) {}
};

/// A TrainingSession without the model's type; its members are described there. The model and the
/// split must outlive it.
class AnyTrainingSession {
 public:
  AnyTrainingSession(const AnyTrainingSession&) = delete;
  AnyTrainingSession& operator=(const AnyTrainingSession&) = delete;
  virtual ~AnyTrainingSession() = default;

  /// Trains on one batch. Calls batch and epoch, and before the session's first step begin.
  virtual StepRecord step(const TrainingCallbacks& callbacks = {}) = 0;
  /// Trains until training is over, and gives the model the weights of its best epoch. Calls all
  /// four.
  virtual const History& run(const TrainingCallbacks& callbacks = {}) = 0;
  /// Ends training: run() then only gives the model its best weights.
  virtual void stop() = 0;

  [[nodiscard]] virtual bool finished() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t steps() const noexcept = 0;
  [[nodiscard]] virtual const History& history() const noexcept = 0;
  /// Applies deferred steps: to be called before the model is read between steps.
  virtual void flush() = 0;
  /// Writes a checkpoint, for AnyRecommender::resume or TrainingSession::resume.
  /// @throws ArgumentError  if the optimizer has no save() and load()
  virtual void save(const std::filesystem::path& checkpoint) = 0;

 protected:
  AnyTrainingSession() = default;
};

/// A model and the execution it runs on, type-erased. The results of each member are bit-identical
/// to those of the function of the same name for the model on that execution; a float is returned
/// as the double of the same value. Errors are the same too. Owns everything it works with: neither
/// the interactions that it was made with nor a split need to outlive the call that takes them;
/// only a session needs its split. A memory resource in the model's options must outlive it.
///
/// Const members may be called from several threads at once; fit(), resume(), set_ranking() and the
/// members of a session only while no other member is running. The output rows, with the magnitudes
/// of the ranking, are computed when first needed after training or a change of the ranking, and
/// kept until the next training or change. For a backbone other than MF they take as much memory as
/// the tables; for a ranking other than as trained, the items' rows take as much memory as their
/// table.
class AnyRecommender {
 public:
  AnyRecommender(const AnyRecommender&) = delete;
  AnyRecommender& operator=(const AnyRecommender&) = delete;
  virtual ~AnyRecommender() = default;

  /// "MF<64> + DirectAU + None + PRISM<1>"
  [[nodiscard]] virtual std::string name() const = 0;
  /// Each policy with its options: "SSM, negatives 10, tau 0.2".
  [[nodiscard]] virtual std::vector<std::string> policies() const = 0;

  /// The training interactions, with the ids of users and items.
  [[nodiscard]] virtual const Interactions& train() const noexcept = 0;

  /// How items are ranked; see prism/policy/ranking.hpp. After fit(), what training has chosen.
  [[nodiscard]] virtual const Ranking& ranking() const noexcept = 0;
  /// Takes effect at once.
  /// @throws ArgumentError  for a member outside its domain; the ranking is then unchanged
  virtual void set_ranking(Ranking ranking) = 0;

  /// Gives the model what a saved model has learnt about the same users and items, before training;
  /// see prism/serve/warm_start.hpp.
  /// @throws DataError      if there is no saved model, or it is damaged
  /// @throws ArgumentError  if backbone, loss or dimension are others, or no user or item is the
  /// same
  virtual KnownRows warm_start(const std::filesystem::path& saved) = 0;

  /// Begins training on split.train, which must equal train(), or continues from a checkpoint; see
  /// prism/training/training_session.hpp, also for the errors. An optimizer without save() and
  /// load() cannot be resumed: ArgumentError.
  [[nodiscard]] virtual std::unique_ptr<AnyTrainingSession> session(
      const Split& split, const FitOptions& options = {}) = 0;
  [[nodiscard]] virtual std::unique_ptr<AnyTrainingSession> resume(
      const std::filesystem::path& checkpoint, const Split& split,
      const FitOptions& options = {}) = 0;
  std::unique_ptr<AnyTrainingSession> session(const Split&&, const FitOptions& = {}) = delete;
  std::unique_ptr<AnyTrainingSession> resume(const std::filesystem::path&, const Split&&,
                                             const FitOptions& = {}) = delete;

  /// Trains from beginning to end; see prism/training/fit.hpp. Shows progress on the standard error
  /// stream.
  /// @throws ArgumentError    for an option outside its domain, or a split of another shape
  /// @throws DataError        if a checkpoint, or best weights on disk, cannot be written
  /// @throws DivergenceError  if the loss, a weight or a row's squared magnitude is no longer
  ///     finite
  virtual History fit(const Split& split, const FitOptions& options = {}) = 0;
  /// Trains as fit(split, options), but shows no progress.
  History fit(const Split& split, const FitOptions& options, const TrainingCallbacks& callbacks) {
    return session(split, options)->run(callbacks);
  }

  /// A model retrained on training and validation set; see prism/training/retrain.hpp. Shows no
  /// progress.
  [[nodiscard]] virtual std::unique_ptr<AnyRecommender> retrained(
      const Split& split, const History& history, const FitOptions& options,
      const TrainingCallbacks& callbacks = {}) const = 0;

  /// Ranks all items for every user with a relevant item, excluding the user's items in train()
  /// unless {.exclude_seen = false}; see prism/evaluate/evaluate.hpp.
  /// @param relevant  the part to predict: validation or test
  /// @throws ArgumentError  for k of 0; if a part or popularity does not have the model's shape; if
  ///     `relevant` has no interactions, or shares one with train() while that is excluded
  [[nodiscard]] virtual Report evaluate(const Interactions& relevant,
                                        const EvaluateOptions& options = {}) const = 0;
  /// The lists of that ranking, from which metrics of each user and at smaller k follow; see
  /// prism/evaluate/ranked_lists.hpp. Throws the same errors.
  [[nodiscard]] virtual RankedLists ranked_lists(const Interactions& relevant,
                                                 const EvaluateOptions& options = {}) const = 0;

  /// The top k items for a user, or all if there are fewer, best first. A user's seen items are
  /// those in train(); users without any get the most popular items, see RecommendOptions.
  /// @throws ArgumentError  for a user out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> recommend(
      Index user, std::size_t k, const RecommendOptions& options = {}) const = 0;
  /// The lists of several users, in the order of `users`, computed in parallel.
  [[nodiscard]] virtual std::vector<std::vector<ScoredItem<double>>> recommend(
      std::span<const Index> users, std::size_t k, const RecommendOptions& options = {}) const = 0;

  /// The k items most similar to an item, by the cosine of their output rows, without the item
  /// itself. Empty if the item's row has no direction: a row of zeros, or one that is not finite.
  /// @throws ArgumentError  for an item out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> similar_items(Index item,
                                                                      std::size_t k) const = 0;
  /// The lists of several items, in the order of `items`, computed in parallel.
  [[nodiscard]] virtual std::vector<std::vector<ScoredItem<double>>> similar_items(
      std::span<const Index> items, std::size_t k) const = 0;

  /// The output row of a user or an item, with its magnitude of ranking(): dim numbers.
  /// @throws ArgumentError  for a user or item out of range
  [[nodiscard]] virtual std::vector<double> user_row(Index user) const = 0;
  [[nodiscard]] virtual std::vector<double> item_row(Index item) const = 0;

  /// The rows that it ranks with, for what is computed from rows whatever the model is: ItemIndex,
  /// fold_in_users, with_aggregation. A view of the model until it is trained, changed or
  /// destroyed.
  [[nodiscard]] virtual AnyScorer scorer() const = 0;
  /// The rows of another ranking: Ranking{} has the magnitudes of training.
  [[nodiscard]] virtual AnyScorer scorer(const Ranking& ranking) const = 0;

  /// Writes the model into a folder; see prism/serve/save_model.hpp.
  /// @param notes  further lines of the folder's manifest, as (name, value)
  /// @throws DataError  if a file cannot be written, or the folder has other files in it
  virtual void save(const std::filesystem::path& folder,
                    const std::vector<std::pair<std::string, std::string>>& notes = {}) const = 0;
  /// Writes output rows and ids into a directory; see prism/serve/save.hpp.
  /// @throws DataError  if a file cannot be written
  virtual void save_embeddings(const std::filesystem::path& directory) const = 0;

 protected:
  AnyRecommender() = default;
};

}  // namespace prism::inline PRISM_ISA
