// SPDX-License-Identifier: BSD-3-Clause
// A model whose type is not seen, for programs that use models which a library of theirs has
// compiled. Includes nothing that computes, and no other library's header;
// experiment/make_any_recommender.hpp makes one.
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

/// A model and the execution it runs on, without their types. Each member gives, to the last bit,
/// what the function of its name gives for the model on that execution: a float is handed out as
/// the double of the same value. Errors are the same too. Owns all it works with: neither the
/// interactions that it was made with nor a split have to outlive the call that takes them. A
/// memory resource among the model's options does have to outlive it.
///
/// Const members may be called from several threads at once, fit() while no other member is. The
/// output rows are computed where they are first needed after a training, and kept until the next:
/// for a backbone other than MF that is as much memory as the tables.
class AnyRecommender {
 public:
  /// Called after each epoch; training stops where it returns StopRequest::stop. It may call const
  /// members, which then have the weights of this epoch.
  using OnEpoch = std::function<StopRequest(const EpochRecord&)>;

  AnyRecommender(const AnyRecommender&) = delete;
  AnyRecommender& operator=(const AnyRecommender&) = delete;
  virtual ~AnyRecommender() = default;

  /// "MF<64> + DirectAU + None + PRISM<1>"
  [[nodiscard]] virtual std::string name() const = 0;

  /// The training interactions, with the ids of users and items.
  [[nodiscard]] virtual const Interactions& train() const noexcept = 0;

  /// Trains on split.train, which has to be train(); see prism/training/fit.hpp. Shows its progress
  /// on the standard error stream. Where FitOptions::checkpoint names a file, only a
  /// TrainingSession of the model's type goes on from it.
  /// @throws ArgumentError    for an option outside its domain, or a split of another shape
  /// @throws DataError        where a checkpoint, or best weights on disk, cannot be written
  /// @throws DivergenceError  where the loss, a weight or a row's squared length is no longer
  ///     finite
  virtual History fit(const Split& split, const FitOptions& options = {}) = 0;

  /// The same; shows nothing, but calls on_epoch, unless that is empty.
  virtual History fit(const Split& split, const FitOptions& options, const OnEpoch& on_epoch) = 0;

  /// Ranks all items for every user with a relevant item, but for the user's items in train(),
  /// unless {.exclude_seen = false}; see prism/evaluate/evaluate.hpp.
  /// @param relevant  the part to predict: validation or test
  /// @throws ArgumentError  for k of 0; if a part or popularity does not have the model's shape; if
  ///     `relevant` has no interactions, or one that train() has while that is left out
  [[nodiscard]] virtual Report evaluate(const Interactions& relevant,
                                        const EvaluateOptions& options = {}) const = 0;

  /// The k best items for a user, or all if there are fewer, best first. Seen are the user's items
  /// in train().
  /// @throws ArgumentError  for a user out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> recommend(
      Index user, std::size_t k, const RecommendOptions& options = {}) const = 0;

  /// The k items most similar to an item, by the cosine of their output rows, without the item
  /// itself. Empty if the item's row has no direction: a row of zeros, or one that is not finite.
  /// @throws ArgumentError  for an item out of range, or k of 0
  [[nodiscard]] virtual std::vector<ScoredItem<double>> similar_items(Index item,
                                                                      std::size_t k) const = 0;

  /// The output row of a user or an item, dim numbers.
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
