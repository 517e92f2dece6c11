// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "prism/backbone/mf.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The random draws of a training step for one side of its batch.
struct DropoutDraws {
  Random random;
  std::uint64_t threshold;  // an element is dropped if its 16 bits are below
  std::uint64_t side;       // 0 for users, 1 for items, which have separate draws
};

/// to[k] = from[k] with some elements dropped and the others scaled.
/// @param table_rows  the rows in the table; they determine the draws, which therefore do not
///                    depend on the batch
template <class T, Execution X>
void drop_numbers(const X& exec, const DropoutDraws& draws, std::span<const Index> table_rows,
                  IndexedRows<const T> from, Rows<T> to) {
  constexpr std::size_t grain = 64;
  const T scale = static_cast<T>(1 / (1 - static_cast<double>(draws.threshold) * 0x1p-16));
  for_each_row(exec, from.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    using Lane = Lanes<typename X::isa>;
    constexpr std::size_t per_draw = 4;  // elements decided by 64 random bits
    const std::size_t columns = from.dim();
    const std::uint64_t draws_per_row = (columns + per_draw - 1) / per_draw;
    const std::uint64_t row = 2 * std::uint64_t{table_rows[k]} + draws.side;
    for (std::size_t d = Lane::first(); d < draws_per_row; d += Lane::step()) {
      std::uint64_t bits = draws.random.bits(row * draws_per_row + d);
      const std::size_t first = d * per_draw;
      for (std::size_t c = first; c < first + per_draw && c < columns; ++c, bits >>= 16) {
        to[k][c] = (bits & 0xFFFF) < draws.threshold ? T{0} : scale * from[k][c];
      }
    }
  });
}

}  // namespace detail

/// Dropout on output rows during training: each element becomes 0 with probability `rate`, and the
/// others are divided by 1 - rate. The elements to drop are drawn for each training step and row.
/// Ranking uses all elements. Srivastava et al.: "Dropout: a simple way to prevent neural networks
/// from overfitting", JMLR 2014.
///
/// @tparam Backbone  the backbone whose output rows are dropped: `Dropout<MF<64>>{.rate = 0.1}`
template <class Backbone = MF<64>>
struct Dropout {
  static constexpr std::string_view name = "Dropout";
  static constexpr BackboneTraits traits = backbone_traits<Backbone>();

  [[no_unique_address]] Backbone base{};
  double rate = 0.1;  ///< from 0 (the backbone alone) to 0.999; rounded to a multiple of 2^-16

  template <class T>
  struct State {
    [[no_unique_address]] state_t<Backbone, T> base;

    State(const Dropout& policy, const StateContext& context)
        : base(make_state<T>(policy.base, context)) {}
    State(const State& other, std::pmr::memory_resource* memory)
        : base(copy_of_state(other.base, memory)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      base.for_each_parameter(visit);
    }
  };

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return base.dim(); }
  [[nodiscard]] constexpr std::size_t output_dim() const noexcept {
    return prism::output_dim(base);
  }

  static constexpr auto options =
      option_table(option<&Dropout::rate>("rate", Domain{"from 0 to 0.999", 0, 0.999}));

  /// "MF<64> with dropout 0.1"; the backbone's label alone if rate is 0.
  [[nodiscard]] std::string label() const {
    return prism::label(base) + (rate > 0 ? " with dropout " + format_number(rate) : "");
  }

  template <class T, Execution X>
  [[nodiscard]] auto forward(const BackboneStep<T, X>& step, const State<T>& state) const
      -> decltype(std::declval<const Backbone&>().template forward<T>(step, state.base)) {
    auto result = base.template forward<T>(step, state.base);
    if (rate > 0) {
      result.output = {dropped<T>(step, result.output.users, step.batch.user_side, 0),
                       dropped<T>(step, result.output.items, step.batch.item_side, 1)};
    }
    return result;
  }

  template <class T, Execution X, class Saved>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const State<T>& state,
                                           const Saved& saved,
                                           Embeddings<const T> output_gradient) const {
    if (rate > 0) {
      output_gradient = {dropped<T>(step, output_gradient.users, step.batch.user_side, 0),
                         dropped<T>(step, output_gradient.items, step.batch.item_side, 1)};
    }
    return base.template backward<T>(step, state.base, saved, output_gradient);
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& exec, Embeddings<const T> tables,
                                 const Interactions& train, const State<T>& state) const {
    return base.template output<T>(exec, tables, train, state.base);
  }

 private:
  /// Returns copies of the side's unique rows with the step's dropout applied.
  /// @param side_number  0 for users, 1 for items, which have separate draws
  template <class T, Execution X>
  Rows<T> dropped(const BackboneStep<T, X>& step, IndexedRows<const T> from, const BatchSide& side,
                  std::uint64_t side_number) const {
    const detail::DropoutDraws draws{
        .random = step.random,
        .threshold = static_cast<std::uint64_t>(std::llround(rate * 0x1p16)),
        .side = side_number};
    const Rows<T> to = step.scratch.template allocate<T>(from.size(), from.dim());
    detail::drop_numbers<T>(step.exec, draws, side.unique_rows, from, to);
    return to;
  }
};

static_assert(BackbonePolicy<Dropout<MF<64>>>);

}  // namespace prism::inline PRISM_ISA
