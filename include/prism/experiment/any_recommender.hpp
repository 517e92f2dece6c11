// SPDX-License-Identifier: BSD-3-Clause
// A type-erased model, for programs that use models compiled in a library of their own. Includes
// nothing that computes, and no other library's header; experiment/make_any_recommender.hpp makes
// one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate_options.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/serve/recommend_options.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"

namespace prism::inline PRISM_ISA {

struct Ranking;     // prism/policy/ranking.hpp
class RankedLists;  // prism/evaluate/ranked_lists.hpp

/// A model and the execution it runs on, type-erased. The results of each member are bit-identical
/// to those of the function of the same name for the model on that execution; a float is returned
/// as the double of the same value. Errors are the same too. Owns everything it works with: neither
/// the interactions that it was made with nor a split need to outlive the call that takes them. A
/// memory resource in the model's options must outlive it.
///
/// Const members may be called from several threads at once; fit() and set_ranking() only while no
/// other member is running. The output rows, with the magnitudes of the ranking, are computed when
/// first needed after training or a change of the ranking, and kept until the next training or
/// change. For a backbone other than MF they take as much memory as the tables; for a ranking other
/// than as trained, the items' rows take as much memory as their table.
class AnyRecommender {
 public:
  /// Called after each epoch; training stops if it returns StopRequest::stop. It may call const
  /// members, which then use the weights of this epoch.
  using OnEpoch = std::function<StopRequest(const EpochRecord&)>;

  AnyRecommender(const AnyRecommender&) = delete;
  AnyRecommender& operator=(const AnyRecommender&) = delete;
  virtual ~AnyRecommender() = default;

  /// "MF<64> + DirectAU + None + PRISM<1>"
  [[nodiscard]] virtual std::string name() const = 0;

  /// The training interactions, with the ids of users and items.
  [[nodiscard]] virtual const Interactions& train() const noexcept = 0;

  /// How items are ranked; see prism/policy/ranking.hpp. After fit(), what training has chosen.
  [[nodiscard]] virtual const Ranking& ranking() const noexcept = 0;
  /// Takes effect at once.
  /// @throws ArgumentError  for a member outside its domain; the ranking is then unchanged
  virtual void set_ranking(Ranking ranking) = 0;

  /// Trains on split.train, which must equal train(); see prism/training/fit.hpp. Shows progress on
  /// the standard error stream. If FitOptions::checkpoint names a file, only a TrainingSession of
  /// the model's type can resume from it.
  /// @throws ArgumentError    for an option outside its domain, or a split of another shape
  /// @throws DataError        if a checkpoint, or best weights on disk, cannot be written
  /// @throws DivergenceError  if the loss, a weight or a row's squared magnitude is no longer
  ///     finite
  virtual History fit(const Split& split, const FitOptions& options = {}) = 0;

  /// Trains as fit(split, options), but calls on_epoch and shows no progress; if on_epoch is empty,
  /// shows no progress.
  virtual History fit(const Split& split, const FitOptions& options, const OnEpoch& on_epoch) = 0;

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
  /// those in train().
  /// @throws ArgumentError  for a user out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> recommend(
      Index user, std::size_t k, const RecommendOptions& options = {}) const = 0;

  /// The k items most similar to an item, by the cosine of their output rows, without the item
  /// itself. Empty if the item's row has no direction: a row of zeros, or one that is not finite.
  /// @throws ArgumentError  for an item out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> similar_items(Index item,
                                                                      std::size_t k) const = 0;

  /// The output row of a user or an item, with its magnitude of ranking(): dim numbers.
  /// @throws ArgumentError  for a user or item out of range
  [[nodiscard]] virtual std::vector<double> user_row(Index user) const = 0;
  [[nodiscard]] virtual std::vector<double> item_row(Index item) const = 0;

  /// Writes output rows and ids into a directory; see prism/serve/save.hpp.
  /// @throws DataError  if a file cannot be written
  virtual void save_embeddings(const std::filesystem::path& directory) const = 0;

 protected:
  AnyRecommender() = default;
};

}  // namespace prism::inline PRISM_ISA
