// SPDX-License-Identifier: BSD-3-Clause
// Makes an AnyRecommender from a model's type. A translation unit that calls this compiles the
// whole model; put the call in a library, behind a function, and programs need to include only
// any_recommender.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/ranked_lists.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/models/any_recommender.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/recommend.hpp"
#include "prism/serve/save.hpp"
#include "prism/serve/save_model.hpp"
#include "prism/serve/similar_items.hpp"
#include "prism/serve/warm_start.hpp"
#include "prism/training/fit.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/retrain.hpp"
#include "prism/training/training_session.hpp"

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
  RecommenderOf(const X& exec, Interactions&& train, typename Model::Options&& options)
      : exec_(exec), model_(exec, std::move(train), std::move(options)) {}
  RecommenderOf(const X& exec, Model&& model) : exec_(exec), model_(std::move(model)) {}

  std::string name() const override { return model_.name(); }
  std::vector<std::string> policies() const override {
    std::vector<std::string> all;
    for_each_kind(model_.options(),
                  [&](const char*, const auto& policy) { all.push_back(prism::describe(policy)); });
    return all;
  }
  const Interactions& train() const noexcept override { return model_.train(); }

  const Ranking& ranking() const noexcept override { return model_.ranking(); }
  void set_ranking(Ranking ranking) override {
    model_.set_ranking(std::move(ranking));
    forget_scorer();
  }

  KnownRows warm_start(const std::filesystem::path& saved) override {
    const Forget forget{*this};
    return prism::warm_start(model_, saved);
  }
  std::unique_ptr<AnyTrainingSession> session(const Split& split,
                                              const FitOptions& options) override {
    return std::make_unique<Session>(*this, split, options);
  }
  std::unique_ptr<AnyTrainingSession> resume(const std::filesystem::path& checkpoint,
                                             const Split& split,
                                             const FitOptions& options) override {
    if constexpr (can_be_saved) {
      return std::make_unique<Session>(*this, checkpoint, split, options);
    } else {
      throw ArgumentError("checkpoint", cannot_be_saved);
    }
  }
  History fit(const Split& split, const FitOptions& options) override {
    const Forget forget{*this};
    return prism::fit(exec_, model_, split, options, Progress());
  }
  std::unique_ptr<AnyRecommender> retrained(const Split& split, const History& history,
                                            const FitOptions& options,
                                            const TrainingCallbacks& callbacks) const override {
    return std::make_unique<RecommenderOf>(
        exec_,
        prism::retrain(exec_, model_, split, history, options, Observer{callbacks, nullptr}));
  }

  Report evaluate(const Interactions& relevant, const EvaluateOptions& options) const override {
    const EvaluateOptions scorer_options = excluding_seen(options, train(), relevant);
    return prism::evaluate(exec_, *own_scorer(), relevant, scorer_options);
  }
  RankedLists ranked_lists(const Interactions& relevant,
                           const EvaluateOptions& options) const override {
    const EvaluateOptions scorer_options = excluding_seen(options, train(), relevant);
    return prism::ranked_lists(exec_, *own_scorer(), relevant, scorer_options);
  }
  std::vector<ScoredItem<double>> recommend(Index user, std::size_t k,
                                            const RecommendOptions& options) const override {
    return in_double(recommend_by_model(exec_, *own_scorer(), train(), user, k, options));
  }
  std::vector<std::vector<ScoredItem<double>>> recommend(
      std::span<const Index> users, std::size_t k, const RecommendOptions& options) const override {
    std::vector<std::vector<ScoredItem<double>>> all;
    all.reserve(users.size());
    for (const auto& list : recommend_by_model(exec_, *own_scorer(), train(), users, k, options)) {
      all.push_back(in_double(list));
    }
    return all;
  }
  std::vector<std::vector<ScoredItem<double>>> similar_items(std::span<const Index> items,
                                                             std::size_t k) const override {
    std::vector<std::vector<ScoredItem<double>>> all;
    all.reserve(items.size());
    for (const auto& list : prism::similar_items(host_of(exec_), *own_scorer(), items, k)) {
      all.push_back(in_double(list));
    }
    return all;
  }
  std::vector<ScoredItem<double>> similar_items(Index item, std::size_t k) const override {
    return in_double(prism::similar_items(host_of(exec_), *own_scorer(), item, k));
  }
  std::vector<double> user_row(Index user) const override {
    return row_in_double("user", user, own_scorer()->output.users());
  }
  std::vector<double> item_row(Index item) const override {
    return row_in_double("item", item, own_scorer()->output.items());
  }
  AnyScorer scorer() const override { return own_scorer(); }
  AnyScorer scorer(const Ranking& ranking) const override {
    return std::make_shared<const Scorer<Scalar>>(model_.scorer(exec_, ranking));
  }
  void save(const std::filesystem::path& folder,
            const std::vector<std::pair<std::string, std::string>>& notes) const override {
    prism::save_model(exec_, model_, folder, notes);
  }
  void save_embeddings(const std::filesystem::path& directory) const override {
    prism::save_embeddings(exec_, model_, directory);
  }

 private:
  static constexpr bool can_be_saved =
      SavedState<typename Model::optimizer_type::template State<Scalar>, X>;
  static constexpr const char* cannot_be_saved =
      "is not possible with this optimizer, whose State has no save() and load()";

  /// Forgets the scorer at the end, even if training ends with an error: the weights have changed.
  struct Forget {
    RecommenderOf& owner;
    ~Forget() { owner.forget_scorer(); }
  };

  struct Observer {
    const TrainingCallbacks& callbacks;
    RecommenderOf* owner;  // of the model in training; null if that is another

    void begin(const FitInfo& info) const {
      if (callbacks.begin) callbacks.begin(info);
    }
    StopRequest batch(const EpochProgress& progress) const {
      return callbacks.batch ? callbacks.batch(progress) : StopRequest::none;
    }
    StopRequest epoch(const EpochRecord& record) const {
      if (owner != nullptr) owner->forget_scorer();  // it may be from an earlier epoch
      return callbacks.epoch ? callbacks.epoch(record) : StopRequest::none;
    }
    void end(const History& history) const {
      if (owner != nullptr) owner->forget_scorer();
      if (callbacks.end) callbacks.end(history);
    }
  };
  /// For an `epoch` that reads the model: the model then has the epoch's weights, on a device too.
  struct ReadingObserver : Observer {
    StopRequest epoch(const EpochRecord& record, const Model&) const {
      return Observer::epoch(record);
    }
  };

  class Session final : public AnyTrainingSession {
   public:
    Session(RecommenderOf& owner, const Split& split, const FitOptions& options)
        : owner_(owner), session_(owner.exec_, owner.model_, split, options) {}
    Session(RecommenderOf& owner, const std::filesystem::path& checkpoint, const Split& split,
            const FitOptions& options)
      requires can_be_saved
        : owner_(owner),
          session_(Own::resume(checkpoint, owner.exec_, owner.model_, split, options)) {
      owner.forget_scorer();
    }

    StepRecord step(const TrainingCallbacks& callbacks) override {
      const Forget forget{owner_};
      return observed(callbacks, [&](auto observer) { return session_.step(observer); });
    }
    const History& run(const TrainingCallbacks& callbacks) override {
      const Forget forget{owner_};
      observed(callbacks, [&](auto observer) { session_.run(observer); });
      return session_.history();
    }
    void stop() override { session_.stop(); }
    bool finished() const noexcept override { return session_.finished(); }
    std::uint64_t steps() const noexcept override { return session_.steps(); }
    const History& history() const noexcept override { return session_.history(); }
    void flush() override {
      owner_.forget_scorer();
      session_.flush();
    }
    void save(const std::filesystem::path& checkpoint) override {
      if constexpr (can_be_saved) {
        const Forget forget{owner_};  // before the first step, it may choose a ranking
        session_.save(checkpoint);
      } else {
        throw ArgumentError("checkpoint", cannot_be_saved);
      }
    }

   private:
    using Own = TrainingSession<Model, X>;

    template <class Train>
    auto observed(const TrainingCallbacks& callbacks, const Train& train) {
      const Observer observer{callbacks, &owner_};
      if (callbacks.epoch && callbacks.epoch_reads_model) return train(ReadingObserver{observer});
      return train(observer);
    }

    RecommenderOf& owner_;
    Own session_;
  };

  /// The scorer of the current weights, cached because LightGCN's takes a propagation over the
  /// whole graph.
  ScorerPtr own_scorer() const {
    {
      const std::lock_guard lock(mutex_);
      if (scorer_ != nullptr) return scorer_;
    }
    // Without the lock: while this thread waits, oneTBB may run another task of the program on it
    // that also needs the scorer. Several threads may compute it; all get the same numbers.
    auto computed = std::make_shared<const Scorer<Scalar>>(model_.scorer(exec_));
    const std::lock_guard lock(mutex_);
    if (scorer_ == nullptr) scorer_ = std::move(computed);
    return scorer_;
  }
  void forget_scorer() noexcept {
    const std::lock_guard lock(mutex_);
    scorer_.reset();
  }

  [[no_unique_address]] X exec_;
  Model model_;
  mutable std::mutex mutex_;
  mutable ScorerPtr scorer_;
};

}  // namespace detail

/// A model without its type: make_any_recommender<Recommender<MF<64>, DirectAU>>(split.train).
///
/// @tparam Model  a Recommender, or a type that is used like one, such as Released
/// @param exec    where it is made, trained and ranked; the host's threads if left out
/// @param train   at least one interaction; the model owns them, so they are copied unless moved
/// @throws ArgumentError  as the model's constructor
template <class Model, Execution X>
[[nodiscard]] std::unique_ptr<AnyRecommender> make_any_recommender(
    const X& exec, Interactions train, typename Model::Options options = {}) {
  return std::make_unique<detail::RecommenderOf<Model, X>>(exec, std::move(train),
                                                           std::move(options));
}
template <class Model>
[[nodiscard]] std::unique_ptr<AnyRecommender> make_any_recommender(
    Interactions train, typename Model::Options options = {}) {
  return make_any_recommender<Model>(par, std::move(train), std::move(options));
}

}  // namespace prism::inline PRISM_ISA
