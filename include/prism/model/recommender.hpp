// SPDX-License-Identifier: BSD-3-Clause
// The model: two embedding tables, the policies and their States.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/interactions.hpp"
#include "prism/initializer/xavier.hpp"
#include "prism/model/initial_weights.hpp"
#include "prism/model/model_name.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/optimizer/adam.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/policy/regularizer.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/regularizer/none.hpp"
#include "prism/sampler/uniform.hpp"

namespace prism::inline PRISM_ISA {

/// A collaborative-filtering model, its policies chosen at compile time. Owns the embedding tables
/// and the training interactions, whose popularity the initializer uses and which recommend()
/// excludes as seen.
///
/// @tparam Backbone ... Sampler  policies; checked by static_asserts instead of concepts in the
///     parameter list, so that compiler errors name the missing requirement and the argument
/// @tparam Scalar                type of tables and parameters, float or double
template <class Backbone, class Loss, class Regularizer = None, class Initializer = Xavier,
          class Optimizer = Adam, class Sampler = UniformNegatives, class Scalar = float>
class Recommender {
  static_assert(std::same_as<Scalar, float> || std::same_as<Scalar, double>,
                "Recommender: argument 7 (Scalar) is neither float nor double");
  static_assert(check_backbone<Backbone, Scalar>(),
                "Recommender: argument 1 (Backbone) is not a backbone such as MF<64>; "
                "prism/policy/backbone.hpp lists the requirements");
  static_assert(check_loss<Loss, Scalar>(),
                "Recommender: argument 2 (Loss) is not a loss such as DirectAU; "
                "prism/policy/loss.hpp lists the requirements");
  static_assert(check_regularizer<Regularizer>(),
                "Recommender: argument 3 (Regularizer) is not a regularizer such as FullWD; "
                "prism/policy/regularizer.hpp lists the requirements");
  static_assert(check_initializer<Initializer, Scalar>(),
                "Recommender: argument 4 (Initializer) is not an initializer such as PRISM<1.0>; "
                "prism/policy/initializer.hpp lists the requirements");
  static_assert(check_optimizer<Optimizer, Scalar>(),
                "Recommender: argument 5 (Optimizer) is not an optimizer such as Adam; "
                "prism/policy/optimizer.hpp lists the requirements");
  static_assert(check_sampler<Sampler>(),
                "Recommender: argument 6 (Sampler) is not a sampler such as UniformNegatives; "
                "prism/policy/sampler.hpp lists the requirements");

 public:
  using scalar_type = Scalar;
  using backbone_type = Backbone;
  using loss_type = Loss;
  using optimizer_type = Optimizer;
  using sampler_type = Sampler;

  /// The policies' run-time options. Policies without options occupy no memory.
  struct Options {
    std::uint64_t seed = 123;
    /// Host memory resource of tables, parameters and optimizer states; must outlive the model.
    /// Null: an aligned heap with huge pages.
    std::pmr::memory_resource* memory = nullptr;
    [[no_unique_address]] Backbone backbone{};
    [[no_unique_address]] Loss loss{};
    [[no_unique_address]] Regularizer regularizer{};
    [[no_unique_address]] Initializer initializer{};
    [[no_unique_address]] Optimizer optimizer{};
    [[no_unique_address]] Sampler sampler{};
    /// The magnitudes that items are ranked with: as trained, or from popularity.
    Ranking ranking{};

    /// Calls visit(policy) for each policy.
    template <class Visit>
    void for_each_policy(const Visit& visit) const {
      detail::for_each_kind(*this, [&](std::string_view, const auto& policy) { visit(policy); });
    }
  };

  /// Everything that training changes: the tables and the States of backbone and loss. A copy is a
  /// snapshot.
  struct Weights {
    Matrix<Scalar> users;
    Matrix<Scalar> items;
    [[no_unique_address]] state_t<Backbone, Scalar> backbone;
    [[no_unique_address]] state_t<Loss, Scalar> loss;

    /// Calls visit(rows) for the tables, then for the parameters of backbone and loss.
    template <class Visit>
    void for_each_matrix(const Visit& visit) {
      visit(rows(users));
      visit(rows(items));
      const auto visit_parameter = [&](const ParameterView<Scalar>& parameter) {
        visit(parameter.rows);
      };
      backbone.for_each_parameter(visit_parameter);
      loss.for_each_parameter(visit_parameter);
    }
  };

  /// @param train  at least one interaction
  /// @throws ArgumentError  if train is empty, the backbone's dimension is 0 or above 2^20, a
  ///     policy has an option outside its domain, or train or options.memory are in a device's
  ///     memory
  explicit Recommender(Interactions train, Options options = {})
      : Recommender(par, std::move(train), std::move(options)) {}

  /// Initialises the tables on `exec`, or on the host that it belongs to.
  /// @param train  at least one interaction
  /// @throws ArgumentError  as the constructor without an execution
  template <Execution X>
  explicit Recommender(const X& exec, Interactions train, Options options = {})
      : options_(std::move(options)),
        train_(std::move(train)),
        weights_(detail::initial_weights<Weights, Scalar>(host_of(exec), options_, train_)) {
    static_assert(check_execution<X>(), "Recommender: a policy does not run on this execution");
  }

  /// A copy whose tables, parameters and interactions are in `memory`. If that is a device's, only
  /// executions on the device can use the copy; its options().memory remains the host's.
  Recommender(const Recommender& other, std::pmr::memory_resource* memory)
      : options_(other.options_in(memory)),
        train_(other.train_, memory),
        weights_{copy_of(other.weights_.users, memory), copy_of(other.weights_.items, memory),
                 copy_of_state(other.weights_.backbone, memory),
                 copy_of_state(other.weights_.loss, memory)},
        trained_(other.trained_) {}

  /// Copies the weights of a model that was made the same way, whatever memory they are in.
  /// @throws ArgumentError  if a table or parameter of the other has another size; nothing is
  ///     copied then
  void copy_weights_from(const Recommender& other) {
    std::vector<Rows<Scalar>> parts;
    DeviceMemory* const own_device = device_memory(memory_of(users()));
    DeviceMemory* const device =
        own_device != nullptr ? own_device : device_memory(memory_of(other.users()));
    // for_each_parameter visits mutable values, which are only read here.
    const_cast<Weights&>(other.weights_).for_each_matrix([&](Rows<Scalar> part) {
      parts.push_back(part);
    });
    std::size_t next = 0;
    weights_.for_each_matrix([&](Rows<Scalar> part) {
      require(next < parts.size() && parts[next].size() == part.size() &&
                  parts[next].dim() == part.dim(),
              "other", "must have tables and parameters of the same sizes as this model");
      ++next;
    });
    if (this == &other) return;
    next = 0;
    weights_.for_each_matrix([&](Rows<Scalar> part) {
      const std::span<const Scalar> from(parts[next++].data(), part.num_elements());
      copy_across(device, from, std::span(part.data(), part.num_elements()));
    });
    trained_ = other.trained_;
  }

  /// @throws ArgumentError  if the host cannot read the model
  void check_on_host() const {
    require(device_memory(memory()) == nullptr, "model",
            "is in a device's memory, which the host cannot read; Recommender(model, "
            "table_memory()) makes a copy in the host's memory");
  }

  /// Whether every policy runs on X. If one does not, the first compiler error names its function.
  template <Execution X>
  [[nodiscard]] static consteval bool check_execution() {
    return check_backbone<Backbone, Scalar, X>() && check_loss<Loss, Scalar, X>() &&
           check_initializer<Initializer, Scalar, X>() && check_optimizer<Optimizer, Scalar, X>() &&
           check_sampler<Sampler, X>();
  }

  [[nodiscard]] std::string name() const { return name_of(options_); }

  [[nodiscard]] const Options& options() const noexcept { return options_; }

  /// How scorer(), and with it everything that ranks, gives magnitudes to items. Takes effect at
  /// once, for a trained or loaded model too.
  [[nodiscard]] const Ranking& ranking() const noexcept { return options_.ranking; }
  /// @throws ArgumentError  for a member outside its domain, or magnitudes that are not finite and
  ///     above 0, or not one for each item; the ranking is then unchanged
  void set_ranking(Ranking ranking) {
    detail::check_magnitudes<Scalar>(ranking, train_);
    options_.ranking = std::move(ranking);
  }

  /// The memory resource of tables and parameters: that of the options, or a device's.
  [[nodiscard]] std::pmr::memory_resource* memory() const noexcept {
    return memory_of(weights_.users);
  }
  [[nodiscard]] const Interactions& train() const noexcept { return train_; }

  [[nodiscard]] const Weights& weights() const noexcept { return weights_; }
  [[nodiscard]] Weights& weights() noexcept { return weights_; }

  /// Whether the weights differ from those that the policies initialised. True once training has
  /// begun, for a loaded model, and after set_trained(), for a caller that sets the weights.
  [[nodiscard]] bool trained() const noexcept { return trained_; }
  void set_trained(bool trained = true) noexcept { trained_ = trained; }

  /// The embedding tables, users x dim and items x dim.
  [[nodiscard]] const Matrix<Scalar>& users() const noexcept { return weights_.users; }
  [[nodiscard]] const Matrix<Scalar>& items() const noexcept { return weights_.items; }

  [[nodiscard]] Embeddings<const Scalar> tables() const& noexcept {
    return {rows(weights_.users), rows(weights_.items)};
  }
  template <class Number = Scalar>
  Embeddings<const Scalar> tables() const&& {
    return view_of_temporary<Number>();
  }

  /// The backbone's output rows of all users and items, users x dim and items x dim of the output:
  /// for some backbones, such as MF, a view of the model, valid until it is changed or destroyed.
  /// If a device cannot read the weights or the interactions, the host computes the rows.
  /// @throws ArgumentError  on the host, if the model is in a device's memory
  template <Execution X = Host<>>
  [[nodiscard]] Output<Scalar> output(const X& exec = {}) const& {
    static_assert(check_backbone<Backbone, Scalar, X>(),
                  "Recommender: the backbone does not run on this execution");
    if constexpr (DeviceExecution<X>) {
      if (!is_readable(exec)) return output(host_of(exec));
    } else {
      check_on_host();
    }
    return options_.backbone.template output<Scalar>(exec, tables(), train_, weights_.backbone);
  }
  template <Execution X = Host<>>
  Output<Scalar> output(const X& = {}) const&& {
    return view_of_temporary<X>();
  }

  /// The scorer for ranking: the output rows, the loss's ranking rule if it has one, and then the
  /// magnitudes of ranking(). A view of the model where output() is one; if the ranking scales
  /// rows, those that it does not scale, such as users', are still a view. Runs and throws as
  /// output().
  /// @throws ArgumentError  also for a ranking that makes a row's magnitude infinite or 0
  template <Execution X = Host<>>
  [[nodiscard]] Scorer<Scalar> scorer(const X& exec = {}) const& {
    return scorer(exec, ranking());
  }
  /// The scorer of another ranking than the model's.
  template <Execution X>
  [[nodiscard]] Scorer<Scalar> scorer(const X& exec, const Ranking& ranking) const& {
    static_assert(check_loss<Loss, Scalar, X>(),
                  "Recommender: the loss does not run on this execution");
    if constexpr (DeviceExecution<X>) {
      if (!is_readable(exec)) return scorer(host_of(exec), ranking);
    }
    Scorer<Scalar> scorer{output(exec)};
    prism::apply_ranking_rule(exec, options_.loss, scorer, weights_.loss);
    return detail::ranked_scorer(exec, scorer, ranking, train_);
  }
  template <Execution X = Host<>>
  Scorer<Scalar> scorer(const X& = {}) const&& {
    return {view_of_temporary<X>()};
  }
  template <Execution X>
  Scorer<Scalar> scorer(const X&, const Ranking&) const&& {
    return {view_of_temporary<X>()};
  }

 private:
  template <class Argument>
  static Embeddings<const Scalar> view_of_temporary() {
    static_assert(!std::same_as<Argument, Argument>,
                  "a view of a temporary model would dangle: name the model first, as in "
                  "`const Model model(train); model.scorer()`");
    return {};
  }

  [[nodiscard]] Options options_in(std::pmr::memory_resource* memory) const {
    Options options = options_;
    if (device_memory(memory) == nullptr) options.memory = memory;
    return options;
  }

  /// Whether a device can read the weights and the interactions. If not, waits for the device.
  template <DeviceExecution X>
  [[nodiscard]] bool is_readable(const X& exec) const {
    // Tables and parameters are all in one memory, and so are the interactions' lists.
    const bool readable =
        can_read(exec, weights_.users.data()) && can_read(exec, train_.item_degree().data());
    if (!readable) synchronise(exec);
    return readable;
  }

  [[no_unique_address]] Options options_;
  Interactions train_;
  Weights weights_;
  bool trained_ = false;
};

}  // namespace prism::inline PRISM_ISA
