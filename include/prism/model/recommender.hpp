// SPDX-License-Identifier: BSD-3-Clause
// What ties the policies together: a model is its two tables, its policies and their states.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/random.hpp"
#include "prism/data/interactions.hpp"
#include "prism/initializer/xavier.hpp"
#include "prism/optimizer/adam.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/regularizer.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/regularizer/none.hpp"
#include "prism/sampler/uniform.hpp"

namespace prism::inline PRISM_ISA {

/// The names of the policies that make a model: "MF<64> + DirectAU + None + PRISM<1>". Optimizer
/// and sampler are named where they are not the usual ones and the loss has a use for them:
/// "MF<64> + BPR + None + Xavier + SGD + InBatchNegatives".
/// @param options  a Recommender's
template <class Options>
[[nodiscard]] std::string name_of(const Options& options) {
  std::string name = label(options.backbone) + " + " + label(options.loss) + " + " +
                     label(options.regularizer) + " + " + label(options.initializer);
  if (label(options.optimizer) != Adam::name) name += " + " + label(options.optimizer);
  if (loss_traits(options.loss).negatives > 0 && label(options.sampler) != UniformNegatives::name) {
    name += " + " + label(options.sampler);
  }
  return name;
}

/// A collaborative-filtering model, its parts chosen at compile time. Owns the embedding tables,
/// starting from the training interactions' popularity, and remembers those interactions: they are
/// what a user has seen.
///
/// @tparam Backbone ... Sampler  policies; their concepts are checked in here rather than in the
///     parameter list, so that the compiler's first line says in words which one is none
template <class Backbone, class Loss, class Regularizer = None, class Initializer = Xavier,
          class Optimizer = Adam, class Sampler = UniformNegatives, class Scalar = float>
class Recommender {
  static_assert(std::floating_point<Scalar>,
                "Recommender: the 7th argument is the type of the numbers, float or double");
  static_assert(check_backbone<Backbone, Scalar>(),
                "Recommender: the 1st argument is no backbone, as MF<64> is; what one has to have "
                "stands in prism/policy/backbone.hpp");
  static_assert(check_loss<Loss, Scalar>(),
                "Recommender: the 2nd argument is no loss, as DirectAU is; what one has to have "
                "stands in prism/policy/loss.hpp");
  static_assert(check_regularizer<Regularizer>(),
                "Recommender: the 3rd argument is no regularizer, as FullWD is; what one has to "
                "have stands in prism/policy/regularizer.hpp");
  static_assert(check_initializer<Initializer, Scalar>(),
                "Recommender: the 4th argument is no initializer, as PRISM<1.0> is; what one has "
                "to have stands in prism/policy/initializer.hpp");
  static_assert(check_optimizer<Optimizer, Scalar>(),
                "Recommender: the 5th argument is no optimizer, as Adam is; what one has to have "
                "stands in prism/policy/optimizer.hpp");
  static_assert(check_sampler<Sampler>(),
                "Recommender: the 6th argument is no sampler, as UniformNegatives is; what one has "
                "to have stands in prism/policy/sampler.hpp");

 public:
  using scalar_type = Scalar;
  using backbone_type = Backbone;
  using loss_type = Loss;
  using optimizer_type = Optimizer;
  using sampler_type = Sampler;

  /// The policies' run-time options. Policies without any take no room.
  struct Options {
    std::uint64_t seed = 123;
    /// Where tables, states and the optimizer's memory lie, and outlived by them; null: an aligned
    /// heap with huge pages.
    std::pmr::memory_resource* memory = nullptr;
    [[no_unique_address]] Backbone backbone{};
    [[no_unique_address]] Loss loss{};
    [[no_unique_address]] Regularizer regularizer{};
    [[no_unique_address]] Initializer initializer{};
    [[no_unique_address]] Optimizer optimizer{};
    [[no_unique_address]] Sampler sampler{};

    /// Calls visit(policy) for each.
    template <class Visit>
    void for_each_policy(const Visit& visit) const {
      visit(backbone);
      visit(loss);
      visit(regularizer);
      visit(initializer);
      visit(optimizer);
      visit(sampler);
    }
  };

  /// All that training changes; a copy is a snapshot.
  struct Weights {
    Matrix<Scalar> users;
    Matrix<Scalar> items;
    [[no_unique_address]] state_t<Backbone, Scalar> backbone;
    [[no_unique_address]] state_t<Loss, Scalar> loss;
  };

  /// @param train  at least one interaction
  /// @throws ArgumentError  where train is empty, the backbone's dimension is 0, or a policy has an
  ///     option outside its domain
  explicit Recommender(Interactions train, Options options = {})
      : Recommender(par, std::move(train), std::move(options)) {}

  /// The same; the tables are filled where `exec` says.
  template <Execution X>
  explicit Recommender(const X& exec, Interactions train, Options options = {})
      : options_(std::move(options)),
        train_(std::move(train)),
        weights_(initial_weights(exec, options_, train_)) {
    static_assert(check_execution<X>(), "Recommender: a policy does not run on this execution");
  }

  /// Whether every policy runs on X; if one does not, a first error says which function does not.
  template <Execution X>
  [[nodiscard]] static consteval bool check_execution() {
    return check_backbone<Backbone, Scalar, X>() && check_loss<Loss, Scalar, X>() &&
           check_initializer<Initializer, Scalar, X>() && check_optimizer<Optimizer, Scalar, X>() &&
           check_sampler<Sampler, X>();
  }

  [[nodiscard]] std::string name() const { return name_of(options_); }

  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const Interactions& train() const noexcept { return train_; }

  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] Weights& weights() noexcept { return weights_; }

  /// The embedding tables, users x dim and items x dim.
  [[nodiscard]] const Matrix<Scalar>& users() const noexcept { return weights_.users; }
  [[nodiscard]] const Matrix<Scalar>& items() const noexcept { return weights_.items; }

  [[nodiscard]] Embeddings<const Scalar> tables() const noexcept {
    return {rows(weights_.users), rows(weights_.items)};
  }

  /// The backbone's output rows, by which users and items are compared.
  template <Execution X = Host<>>
  [[nodiscard]] Output<Scalar> output(const X& exec = {}) const {
    static_assert(check_backbone<Backbone, Scalar, X>(),
                  "Recommender: the backbone does not run on this execution");
    return options_.backbone.template output<Scalar>(exec, tables(), train_, weights_.backbone);
  }

  /// What ranks items for users: the output rows, and the loss's own rule where it has one.
  template <Execution X = Host<>>
  [[nodiscard]] Scorer<Scalar> scorer(const X& exec = {}) const {
    static_assert(check_loss<Loss, Scalar, X>(),
                  "Recommender: the loss does not run on this execution");
    Scorer<Scalar> scorer{output(exec)};
    apply_ranking_rule(exec, options_.loss, scorer, weights_.loss);
    return scorer;
  }

 private:
  template <Execution X>
  static Weights initial_weights(const X& exec, const Options& options, const Interactions& train) {
    require(!train.empty(), "train", "has no interactions to learn from");
    const std::size_t dim = options.backbone.dim();
    require(dim >= 1, "dim", "an embedding's dimension must be at least 1, not 0");
    constexpr std::size_t max_dim = std::size_t{1} << 20;
    require(dim <= max_dim, "dim",
            "an embedding's dimension must be at most " + std::to_string(max_dim) + ", not " +
                std::to_string(dim));
    options.for_each_policy([](const auto& policy) { check_options(policy); });
    StateContext context{train, dim, options.seed, Stream::backbone, options.memory};
    auto backbone = make_state<Scalar>(options.backbone, context);
    context.dim = output_dim(options.backbone);
    context.stream = Stream::loss;
    Weights weights{zeros<Scalar>(train.users(), dim, options.memory),
                    zeros<Scalar>(train.items(), dim, options.memory), std::move(backbone),
                    make_state<Scalar>(options.loss, context)};
    options.initializer(exec, rows(weights.users), train.user_degree(),
                        Random(options.seed, Stream::users));
    options.initializer(exec, rows(weights.items), train.item_degree(),
                        Random(options.seed, Stream::items));
    return weights;
  }

  [[no_unique_address]] Options options_;
  Interactions train_;
  Weights weights_;
};

}  // namespace prism::inline PRISM_ISA
