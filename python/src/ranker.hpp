// SPDX-License-Identifier: BSD-3-Clause
// A trained or loaded model as Python asks it: rows and interactions, whatever the policies are.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <prism/core/similarity.hpp>
#include <prism/data/interactions.hpp>
#include <prism/models/any_recommender.hpp>
#include <prism/policy/output.hpp>
#include <prism/policy/ranking.hpp>
#include <prism/serve/item_filter.hpp>
#include <prism/serve/item_index.hpp>
#include <prism/serve/saved_scorer.hpp>
#include <span>
#include <string>
#include <vector>

#include "module.hpp"

namespace prismcf {

/// What a list may contain.
struct ListOptions {
  std::size_t k = 10;
  prism::Similarity similarity = prism::Similarity::dot;
  bool exclude_seen = true;
  /// What the users asked for have seen, in the order in which they are asked for; null: what they
  /// have seen in training.
  const prism::Interactions* seen = nullptr;
  std::optional<IndexArray> among{};    // the only items to recommend
  std::optional<IndexArray> without{};  // items not to recommend
  bool untrained = false;  // whether to rank users and items that have no interaction in training
};

/// Lists of the same length. Places behind a list's last item have the item `absent` and the score
/// NaN.
struct Lists {
  std::vector<prism::Index> items;
  std::vector<float> scores;
  std::size_t count;
  std::size_t k;
};

/// Immutable; any number of threads may ask it at once.
class Ranker {
 public:
  explicit Ranker(prism::SavedScorer<float> saved);
  /// Shares the model's rows. @param model  must not be trained again
  explicit Ranker(const std::shared_ptr<prism::AnyRecommender>& model);

  [[nodiscard]] const prism::SavedScorer<float>& saved() const noexcept { return saved_; }
  /// With the same directions and other magnitudes.
  [[nodiscard]] std::shared_ptr<Ranker> with_ranking(const prism::Ranking& ranking) const;

  /// The lists of users of the training set. A user without an interaction there gets the most
  /// popular items, scored by their numbers of users, unless options.untrained.
  /// @throws prism::ArgumentError  for a row out of range, or k of 0
  [[nodiscard]] Lists recommend(std::span<const prism::Index> users,
                                const ListOptions& options) const;
  /// The lists of users who came after training, from their interactions.
  /// @param history  new users x the model's items
  [[nodiscard]] Lists recommend_to_new(const prism::Interactions& history,
                                       const ListOptions& options) const;
  /// The items (or users) whose rows have the greatest cosine with those of `rows`.
  [[nodiscard]] Lists similar(std::span<const prism::Index> rows, bool users,
                              const ListOptions& options) const;

  /// The scores of pairs of a user and an item. @param users, items  rows in range, of equal number
  [[nodiscard]] std::vector<float> scores(std::span<const prism::Index> users,
                                          std::span<const prism::Index> items) const;

 private:
  using Index = prism::ItemIndex<float>;

  /// What an index has, and how it compares.
  enum class Rows {
    items,            ///< by dot product
    items_by_cosine,  ///< with the factors of a ranking rule
    items_alone,      ///< by cosine, without them
    users,            ///< likewise
    by_popularity,    ///< items by their number of users, whatever the query
  };
  static Rows rows_for(prism::Similarity similarity) noexcept {
    return similarity == prism::Similarity::dot ? Rows::items : Rows::items_by_cosine;
  }
  /// Fills the lists of users without interactions.
  void answer_with_popular(
      Lists& lists, std::span<const std::size_t> places,
      const std::function<prism::Recommendable(std::size_t place)>& filter) const;
  /// Makes the index when it is first needed.
  [[nodiscard]] std::shared_ptr<const Index> index(Rows rows) const;

  std::shared_ptr<prism::AnyRecommender> model_;  // whose rows saved_ may refer to
  prism::SavedScorer<float> saved_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const Index>, 5> indices_;
};

}  // namespace prismcf
