// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "prism/backbone/activation.hpp"
#include "prism/backbone/embedding.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/ops/fill.hpp"
#include "prism/ops/layer.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/tower.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The weight of each training item of users[k]: factor / degree, 0 for a user without any.
template <class T>
struct HistoryScale {
  std::span<const Index> users;
  std::span<const Index> degree;
  T factor;

  [[nodiscard]] PRISM_HOST_DEVICE T operator()(std::size_t k) const noexcept {
    const Index items = degree[users[k]];
    return items == 0 ? T{0} : factor / static_cast<T>(items);
  }
};

/// One scale for all rows.
template <class T>
struct SameScale {
  T factor;

  [[nodiscard]] PRISM_HOST_DEVICE T operator()(std::size_t) const noexcept { return factor; }
};

/// to[k] = factor * mean of the rows of users[k]'s training items
template <class T, Execution X>
void average_histories(const X& exec, const Interactions& train, T factor, Rows<const T> items,
                       std::span<const Index> users, Rows<T> to) {
  constexpr std::size_t grain = 64;
  const Adjacency items_by_user = train.items_by_user();
  const HistoryScale<T> scale_of{users, train.user_degree(), factor};
  for_each_row(exec, users.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    weighted_sum<typename X::isa>(
        to[k], scale_of(k), items_by_user[users[k]], [](std::size_t) { return T{1}; }, items);
  });
}

/// to[k] += factor * from[indices[k]]
template <class T, Execution X>
void add_selected_rows(const X& exec, T factor, Rows<const T> from, std::span<const Index> indices,
                       Rows<T> to) {
  constexpr std::size_t grain = 256;
  for_each_row(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    add_scaled<typename X::isa>(to[k], factor, from[indices[k]], to.dim());
  });
}

/// to[k] = scale_of(k) * from[k]
template <class T, Execution X, class ScaleOf>
void scale_rows(const X& exec, const ScaleOf& scale_of, Rows<const T> from, Rows<T> to) {
  constexpr std::size_t grain = 256;
  for_each_row(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    scale<typename X::isa>(to[k], scale_of(k), from[k], to.dim());
  });
}

/// Adds to each item's row of `gradient` the gradient of the item's output row, and that of the
/// history of each user of the batch who has the item, in the order of the item's users.
/// @param history_gradient  gradient of the sums of histories, a row for each unique user
/// @param output_gradient   gradient of output rows, a row for each unique item
template <class T, Execution X>
void add_item_gradients(const X& exec, const Batch& batch, Rows<const T> history_gradient,
                        Rows<const T> output_gradient, Rows<T> gradient) {
  constexpr std::size_t grain = 64;
  const Adjacency users_by_item = batch.train.users_by_item();
  const std::span<const Index> user_position = batch.user_side.inverse_index;
  const std::span<const Index> item_position = batch.item_side.inverse_index;
  for_each_row(exec, gradient.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t item) {
    using Isa = typename X::isa;
    const std::size_t dim = gradient.dim();
    if (item_position[item] != absent) {
      add_scaled<Isa>(gradient[item], T{1}, output_gradient[item_position[item]], dim);
    }
    for (const Index user : users_by_item[item]) {
      const Index k = user_position[user];
      if (k != absent) add_scaled<Isa>(gradient[item], T{1}, history_gradient[k], dim);
    }
  });
}

}  // namespace detail

/// A user's output row is g u + (1 - g) V p, where u is the user's embedding, p the average of the
/// embeddings of the user's training items, and V a trained matrix; items have their embeddings.
/// Mao et al.: "SimpleX: a simple and strong baseline for collaborative filtering", CIKM 2021, with
/// average pooling; its loss is CCL. The paper takes at most a fixed number of a user's items, this
/// backbone takes all. A user without training items has p = 0. A training step costs a pass over
/// the interactions of the whole training set, though it reads only the batch's users.
///
/// @tparam Dim  columns of both tables, at least 1; or `dynamic`: `SimpleX<dynamic>(48)`
template <std::size_t Dim>
class SimpleX {
 public:
  static constexpr std::string_view name = "SimpleX";
  // Items outside the batch are read, as parts of histories.
  static constexpr BackboneTraits traits{.needs_all_rows = true};

  /// g, of the user's own embedding, from 0 to 1; with 1 it is MF. With 0 users' embeddings are not
  /// trained, and users without training items have rows of zeros.
  double own_weight = 0.5;

  constexpr SimpleX() = default;
  constexpr explicit SimpleX(std::size_t dim)
    requires(Dim == dynamic)
      : dim_{dim} {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  static constexpr auto options =
      option_table(option<&SimpleX::own_weight>("own_weight", domain::zero_to_one));

  /// "SimpleX<64>"
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + std::to_string(dim()) + ">";
  }

  /// V, dim x dim, uniform in [-1, 1] / sqrt(dim).
  template <class T>
  struct State {
    Matrix<T> weight;

    State(const SimpleX& policy, const StateContext& context)
        : weight(make_table<T>(policy.dim(), policy.dim(), context.memory)) {
      const double bound = 1 / std::sqrt(static_cast<double>(policy.dim()));
      fill_uniform(serial, rows(weight), bound, context.random());
    }
    State(const State& other, std::pmr::memory_resource* memory)
        : weight(copy_of(other.weight, memory)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(ParameterView<T>{rows(weight)});
    }
  };

  /// Values of V's layer saved for backward.
  template <class T, Execution X>
  using Saved = tower_saved_t<T, 1, X>;

  template <class T, Execution X>
  [[nodiscard]] ForwardResult<T, Saved<T, X>> forward(const BackboneStep<T, X>& step,
                                                      const State<T>& state) const {
    const std::span<const Index> users = step.batch.user_side.unique_rows;
    const Rows<T> output = step.scratch.template allocate<T>(users.size(), dim());
    const Saved<T, X> saved =
        user_rows<T>(step.exec, step.tables, step.batch.train, users, state, output, step.scratch);
    return {{output, {step.tables.items, step.batch.item_side.unique_rows}}, saved};
  }

  template <class T, Execution X>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>&,
                                           const Saved<T, X>& saved,
                                           Embeddings<const T> output_gradient) const {
    // The tower's layer has a bias, which is fixed at 0 here.
    const std::array<Rows<T>, 2> layer_gradient{
        step.parameter_gradients[0], step.scratch.template allocate_zeros<T>(step.exec, 1, dim())};
    const std::span<const Index> users = step.batch.user_side.unique_rows;
    const Rows<const T> average_gradient =
        tower_backward<T>(step.exec, saved, output_gradient.users, Identity(),
                          std::span<const Rows<T>>(layer_gradient), step.scratch);
    const Rows<T> history_gradient = step.scratch.template allocate<T>(users.size(), dim());
    const detail::HistoryScale<T> scale_of{users, step.batch.train.user_degree(),
                                           history_factor<T>()};
    detail::scale_rows<T>(step.exec, scale_of, average_gradient, history_gradient);
    const Rows<T> user_gradient = step.scratch.template allocate<T>(users.size(), dim());
    detail::scale_rows<T>(step.exec, detail::SameScale<T>{static_cast<T>(own_weight)},
                          output_gradient.users, user_gradient);
    const Rows<T> item_gradient = step.scratch.template allocate_zeros<T>(
        step.exec, step.batch.item_side.inverse_index.size(), dim());
    detail::add_item_gradients<T>(step.exec, step.batch, history_gradient, output_gradient.items,
                                  item_gradient);
    return {TableGradient<T>::sparse(user_gradient, step.batch.user_side),
            TableGradient<T>::dense(item_gradient, step.batch.item_side)};
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& exec, Embeddings<const T> tables,
                                 const Interactions& train, const State<T>& state) const {
    Matrix<T> users = make_table<T>(tables.users.size(), dim(), memory_of(exec));
    Matrix<T> items = make_table<T>(tables.items.size(), dim(), memory_of(exec));
    copy_numbers(exec, std::span<const T>(tables.items.data(), tables.items.num_elements()),
                 std::span<T>(items.data(), items.size()));
    TableVector<Index> all_users(tables.users.size(), memory_of(exec));
    number_from_zero(exec, std::span(all_users));
    // In blocks, because the tower saves its input.
    constexpr std::size_t block_size = 8192;
    for (std::size_t r = 0; r < all_users.size(); r += block_size) {
      const std::size_t count = std::min(block_size, all_users.size() - r);
      Scratch scratch(memory_of(exec));
      static_cast<void>(user_rows<T>(exec, tables, train,
                                     std::span<const Index>(all_users).subspan(r, count), state,
                                     Rows<T>(rows(users)[r], count, dim()), scratch));
      synchronise(exec);  // it still reads and writes the memory
    }
    synchronise(exec);
    return {std::move(users), std::move(items)};
  }

 private:
  /// What the mean of a history is multiplied by: 1 - g.
  template <class T>
  [[nodiscard]] T history_factor() const noexcept {
    return static_cast<T>(1 - own_weight);
  }

  /// The output rows of users. @return what tower_backward needs
  template <class T, Execution X>
  Saved<T, X> user_rows(const X& exec, Embeddings<const T> tables, const Interactions& train,
                        std::span<const Index> users, const State<T>& state, Rows<T> output,
                        Scratch& scratch) const {
    const Rows<T> history = scratch.allocate<T>(users.size(), dim());
    detail::average_histories<T>(exec, train, history_factor<T>(), tables.items, users, history);
    const Rows<T> no_bias = scratch.allocate_zeros<T>(exec, 1, dim());
    const std::array<LayerView<T>, 1> layers{{{rows(state.weight), no_bias.data()}}};
    const Saved<T, X> saved = tower_forward<T>(exec, history, layers, Identity(), output, scratch);
    detail::add_selected_rows<T>(exec, static_cast<T>(own_weight), tables.users, users, output);
    return saved;
  }

  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
};

static_assert(BackbonePolicy<SimpleX<64>>);
static_assert(BackbonePolicy<SimpleX<dynamic>>);

}  // namespace prism::inline PRISM_ISA
