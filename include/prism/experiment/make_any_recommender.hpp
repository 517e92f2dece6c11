// SPDX-License-Identifier: BSD-3-Clause
// Makes an AnyRecommender from a model's type. A translation unit that calls this compiles the
// whole model; put the call in a library, behind a function, and programs need to include only
// any_recommender.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/ranked_lists.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/execution/host.hpp"
#include "prism/experiment/any_recommender.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/recommend.hpp"
#include "prism/serve/save.hpp"
#include "prism/training/fit.hpp"

namespace prism::inline PRISM_ISA {
namespace detail {

template <class T>
[[nodiscard]] std::vector<ScoredItem<double>> in_double(const std::vector<ScoredItem<T>>& list) {
  std::vector<ScoredItem<double>> result;
  result.reserve(list.size());
  for (const auto& [item, score] : list) result.push_back({item, static_cast<double>(score)});
  return result;
}

/// @throws ArgumentError  for a row out of range
template <class T>
[[nodiscard]] std::vector<double> row_in_double(const char* argument, Index row,
                                                Rows<const T> rows) {
  check_row(argument, row, rows.size());
  return {rows[row], rows[row] + rows.dim()};
}

/// Implements AnyRecommender for a model on an execution.
template <class Model, class X>
class RecommenderOf final : public AnyRecommender {
  using Scalar = typename Model::scalar_type;
  using ScorerPtr = std::shared_ptr<const Scorer<Scalar>>;

 public:
  RecommenderOf(Interactions&& train, typename Model::Options&& options)
      : model_(X{}, std::move(train), std::move(options)) {}

  std::string name() const override { return model_.name(); }
  const Interactions& train() const noexcept override { return model_.train(); }

  const Ranking& ranking() const noexcept override { return model_.ranking(); }
  void set_ranking(Ranking ranking) override {
    model_.set_ranking(std::move(ranking));
    forget_scorer();
  }

  History fit(const Split& split, const FitOptions& options) override {
    return fit_with(split, options, Progress());
  }
  History fit(const Split& split, const FitOptions& options, const OnEpoch& on_epoch) override {
    if (!on_epoch) return fit_with(split, options, Silent());
    return fit_with(split, options, EpochObserver{*this, on_epoch});
  }

  Report evaluate(const Interactions& relevant, const EvaluateOptions& options) const override {
    const EvaluateOptions scorer_options = excluding_seen(options, train(), relevant);
    return prism::evaluate(X{}, *scorer(), relevant, scorer_options);
  }
  RankedLists ranked_lists(const Interactions& relevant,
                           const EvaluateOptions& options) const override {
    const EvaluateOptions scorer_options = excluding_seen(options, train(), relevant);
    return prism::ranked_lists(X{}, *scorer(), relevant, scorer_options);
  }
  std::vector<ScoredItem<double>> recommend(Index user, std::size_t k,
                                            const RecommendOptions& options) const override {
    return in_double(prism::recommend(X{}, *scorer(), train(), user, k, options));
  }
  std::vector<ScoredItem<double>> similar_items(Index item, std::size_t k) const override {
    return in_double(prism::similar_items(*scorer(), item, k));
  }
  std::vector<double> user_row(Index user) const override {
    return row_in_double("user", user, scorer()->output.users());
  }
  std::vector<double> item_row(Index item) const override {
    return row_in_double("item", item, scorer()->output.items());
  }
  void save_embeddings(const std::filesystem::path& directory) const override {
    prism::save_embeddings(X{}, model_, directory);
  }

 private:
  struct EpochObserver {
    RecommenderOf& owner;
    const OnEpoch& on_epoch;
    StopRequest epoch(const EpochRecord& record, const Model&) const {
      owner.forget_scorer();  // it may be from an earlier epoch
      return on_epoch(record);
    }
  };

  template <class O>
  History fit_with(const Split& split, const FitOptions& options, O&& observer) {
    // Forgets it even if training ends with an error: the weights have changed by then.
    struct Forget {
      RecommenderOf& owner;
      ~Forget() { owner.forget_scorer(); }
    } forget{*this};
    return prism::fit(X{}, model_, split, options, observer);
  }

  /// The scorer of the current weights, cached because LightGCN's takes a propagation over the
  /// whole graph.
  ScorerPtr scorer() const {
    {
      const std::lock_guard lock(mutex_);
      if (scorer_ != nullptr) return scorer_;
    }
    // Without the lock: while this thread waits, oneTBB may run another task of the program on it
    // that also needs the scorer. Several threads may compute it; all get the same numbers.
    auto computed = std::make_shared<const Scorer<Scalar>>(model_.scorer(X{}));
    const std::lock_guard lock(mutex_);
    if (scorer_ == nullptr) scorer_ = std::move(computed);
    return scorer_;
  }
  void forget_scorer() noexcept {
    const std::lock_guard lock(mutex_);
    scorer_.reset();
  }

  Model model_;
  mutable std::mutex mutex_;
  mutable ScorerPtr scorer_;
};

}  // namespace detail

/// A model without its type: make_any_recommender<Recommender<MF<64>, DirectAU>>(split.train).
///
/// @tparam Model  a Recommender, or a type that is used like one, such as Released
/// @tparam X      where it is made, trained and ranked
/// @param train   at least one interaction; the model owns them, so they are copied unless moved
/// @throws ArgumentError  as the model's constructor
template <class Model, Execution X = Host<>>
[[nodiscard]] std::unique_ptr<AnyRecommender> make_any_recommender(
    Interactions train, typename Model::Options options = {}) {
  return std::make_unique<detail::RecommenderOf<Model, X>>(std::move(train), std::move(options));
}

}  // namespace prism::inline PRISM_ISA
