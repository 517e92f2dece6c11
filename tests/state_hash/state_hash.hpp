// SPDX-License-Identifier: BSD-3-Clause
// A hash of every bit that training computes, for each model. Two versions of the library that
// print the same lines train the same models.
#pragma once

#include <bit>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace state_hash {

/// FNV-1a, 64 bits, over the bytes.
class Hash {
 public:
  template <class T>
  void add(const T* values, std::size_t count) noexcept {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>,
                  "bytes between the values would be of no value");
    const auto* const bytes = reinterpret_cast<const unsigned char*>(values);
    for (std::size_t k = 0; k < count * sizeof(T); ++k) state_ = (state_ ^ bytes[k]) * prime;
  }
  template <class T>
  void add(T value) noexcept {
    add(&value, 1);
  }

  /// Both tables, then every parameter of backbone and loss, in their order.
  template <class Weights>
  void add_weights(Weights weights) {
    const auto add_table = [&](const auto& table) { add(table.data(), table.size()); };
    add_table(weights.users);
    add_table(weights.items);
    const auto add_parameter = [&](const auto& parameter) {
      add(parameter.rows.data(), parameter.rows.num_elements());
    };
    weights.backbone.for_each_parameter(add_parameter);
    weights.loss.for_each_parameter(add_parameter);
  }

  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  static constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t state_ = 0xcbf29ce484222325;
};

inline void print(const std::string& name, const Hash& hash) {
  std::printf("%s %016" PRIx64 "\n", name.c_str(), hash.value());
}

/// Hashes loss, validation and weights of each epoch, because after fit only the best epoch's
/// weights remain.
struct EpochHash {
  Hash hash;

  template <class Model>
  void epoch(const prism::EpochRecord& record, const Model& model) {
    hash.add(record.loss);
    hash.add(record.validation_ndcg);
    hash.add_weights(model.weights());
  }
};

/// The execution of the training.
#if defined(STATE_HASH_REPRODUCIBLE)
inline constexpr prism::Host<prism::isa::reproducible> exec{};
#elif defined(STATE_HASH_SERIAL)
inline constexpr prism::Serial exec{};
#else
inline constexpr prism::Host<> exec{};
#endif

/// The training data of all models: more rows than a loop's chunks, few enough for a second.
inline const prism::Split& data() {
  static const prism::Split split = prism::random_split(
      prism::synthetic_interactions({.users = 300, .items = 200, .interactions_per_user = 12}));
  return split;
}

/// No multiple of a register's width, so that every kernel has a remainder.
inline constexpr std::size_t dim = 37;

/// Trains a model and prints its line.
/// @param note  added to the model's name
template <class Model>
std::unique_ptr<Model> train(typename Model::Options options, const std::string& note = "") {
  auto model = std::make_unique<Model>(exec, data().train, std::move(options));
  EpochHash seen;
  // Eight batches per epoch, the last one smaller.
  const prism::History history =
      prism::fit(exec, *model, data(),
                 {.learning_rate = 0.01, .batch_size = 384, .epochs = 3, .patience = 100},
                 prism::Silent(), seen);
  seen.hash.add(history.best_epoch);
  seen.hash.add_weights(model->weights());
  print(model->name() + note, seen.hash);
  return model;
}

using Regularizer = prism::OneRegularizer<prism::None, prism::BatchedWD, prism::FullWD>;
using Optimizer =
    prism::OneOptimizer<prism::Adam, prism::DenseAdam, prism::PartialRowWiseAdam, prism::SGD>;
using Sampler = prism::OneSampler<prism::UniformNegatives, prism::UnobservedNegatives,
                                  prism::InBatchNegatives, prism::PopularityNegatives>;
using Penalty = prism::OnePenalty<prism::IPL, prism::ReSN>;
using Initializer = prism::PRISM<prism::dynamic>;

/// One model type for all policies that can be chosen at run time.
template <class Backbone, class Loss, class Scalar = float>
using Model =
    prism::Recommender<Backbone, Loss, Regularizer, Initializer, Optimizer, Sampler, Scalar>;

/// The chosen policies.
struct Choice {
  Regularizer regularizer{};
  Optimizer optimizer{};
  Sampler sampler{};
  std::string note{};
};

inline constexpr double decay = 1e-3;

template <class Scalar = float, class Backbone, class Loss>
auto train(Backbone backbone, Loss loss, const Choice& choice = {}) {
  return train<Model<Backbone, Loss, Scalar>>({.backbone = std::move(backbone),
                                               .loss = std::move(loss),
                                               .regularizer = choice.regularizer,
                                               .initializer = Initializer{.alpha = 0.5},
                                               .optimizer = choice.optimizer,
                                               .sampler = choice.sampler},
                                              choice.note);
}

inline prism::MF<prism::dynamic> mf() { return prism::MF<prism::dynamic>(dim); }
inline prism::MLP<prism::dynamic> mlp() { return prism::MLP<prism::dynamic>(dim); }
inline prism::LightGCN<prism::dynamic> lightgcn() { return prism::LightGCN<prism::dynamic>(dim); }

/// A loss with every backbone and optimizer, with and without decay, which lazy Adam handles
/// differently.
template <class Loss>
void train_each(const Loss& loss) {
  const auto with = [&](const auto& backbone) {
    for (const Optimizer& optimizer :
         {Optimizer(prism::Adam{}), Optimizer(prism::DenseAdam{}), Optimizer(prism::SGD{})}) {
      train(backbone, loss, {.optimizer = optimizer});
      train(backbone, loss, {.regularizer = prism::FullWD{decay}, .optimizer = optimizer});
    }
  };
  with(mf());
  with(mlp());
  with(lightgcn());
}

/// MF and the loss with one second moment per row, without and with decay.
template <class Loss>
void train_row_wise(const Loss& loss) {
  const Optimizer optimizer = prism::PartialRowWiseAdam{};
  train(mf(), loss, {.optimizer = optimizer});
  train(mf(), loss, {.regularizer = prism::FullWD{decay}, .optimizer = optimizer});
}

/// MF and the loss with the negatives of each sampler except the default.
template <class Loss>
void train_each_sampler(const Loss& loss) {
  train(mf(), loss, {.sampler = prism::UnobservedNegatives{}});
  train(mf(), loss, {.sampler = prism::InBatchNegatives{}});
  train(mf(), loss, {.sampler = prism::PopularityNegatives{}});
}

/// MF and the loss with each penalty.
template <class Loss>
void train_each_penalty(const Loss& loss) {
  using Both = prism::Penalized<Loss, Penalty>;
  train(mf(), Both{loss, prism::IPL{}});
  train(mf(), Both{loss, prism::IPL{.sums = prism::IPLSums::batch}}, {.note = ", per batch"});
  train(mf(), Both{loss, prism::ReSN{.weight = 1e-3}});
}

/// Prints hashes of all users' lists, of the report on the test set, and of recommend().
template <class Model>
void rank(const Model& model) {
  using namespace prism;
  using T = typename Model::scalar_type;
  constexpr std::size_t k = 10;
  const auto scorer = model.scorer(exec);
  std::vector<Index> users(data().train.users());
  for (std::size_t u = 0; u < users.size(); ++u) users[u] = static_cast<Index>(u);
  const std::vector<const Interactions*> seen{&data().train, &data().validation};

  for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
    const std::string by = similarity == Similarity::dot ? " by dot product" : " by cosine";
    for (const Pruning pruning : {Pruning::never, Pruning::always}) {
      std::vector<Hash> user_hashes(users.size());
      rank_items(
          exec, scorer, users, k, seen, similarity,
          [&](std::size_t position, std::span<const ScoredItem<T>> best) {
            for (const ScoredItem<T>& scored : best) {
              user_hashes[position].add(scored.item);
              user_hashes[position].add(scored.score);
            }
          },
          pruning);
      Hash hash;
      for (const Hash& user : user_hashes) hash.add(user.value());
      print(model.name() + ": top 10" + by + (pruning == Pruning::always ? ", pruned" : ""), hash);
    }

    const Report report =
        evaluate(exec, scorer, data().test, {.k = k, .exclude = seen, .similarity = similarity});
    Hash hash;
    hash.add(report.users);
    hash.add(report.ndcg_by_stratum.data(), report.ndcg_by_stratum.size());
    for (const double measure :
         {report.ndcg, report.recall, report.precision, report.mrr, report.hit_rate,
          report.coverage, report.average_popularity, report.gini}) {
      hash.add(measure);
    }
    print(model.name() + ": report" + by, hash);
  }

  Hash hash;
  for (const Index user : users) {
    for (const ScoredItem<T>& scored : recommend(exec, model, user, k)) {
      hash.add(scored.item);
      hash.add(scored.score);
    }
  }
  print(model.name() + ": recommend", hash);
}

// One for each file of models; each prints its lines.
void train_bpr();
void train_ssm();
void train_directau();
void train_mawu();
void train_macr();
void train_similarities();

}  // namespace state_hash
