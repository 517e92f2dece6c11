// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "prism/backbone/mf.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/label.hpp"

namespace prism::inline PRISM_ISA {

/// Dropout of output rows while a model trains: each of their numbers becomes 0 with probability
/// `rate`, and the others are divided by 1 - rate; which ones is drawn for each step and row.
/// Ranking has all of them. Srivastava et al.: "Dropout: a simple way to prevent neural networks
/// from overfitting", JMLR 2014.
///
/// @tparam Backbone  whose output rows it drops: `Dropout<MF<64>>{.rate = 0.1}`
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

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      base.for_each_parameter(visit);
    }
  };

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return base.dim(); }
  [[nodiscard]] constexpr std::size_t output_dim() const noexcept {
    return prism::output_dim(base);
  }

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    check_options(base);
    require(rate >= 0 && rate <= max_rate, "rate",
            "must be from 0 to 0.999, not " + format_number(rate));
  }

  /// "MF<64> with dropout 0.1"; the backbone's alone for a rate of 0.
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
  static constexpr double max_rate = 0.999;
  static constexpr std::size_t per_draw = 4;  // numbers decided by 64 random bits

  /// Copies of rows, one for each of the side's unique rows, with the step's dropout.
  /// @param side_number  0 for users, 1 for items, whose draws are others
  template <class T, Execution X>
  Rows<T> dropped(const BackboneStep<T, X>& step, IndexedRows<const T> from, const BatchSide& side,
                  std::uint64_t side_number) const {
    const std::size_t columns = from.dim();
    const std::uint64_t draws_per_row = (columns + per_draw - 1) / per_draw;
    const auto threshold = static_cast<std::uint64_t>(std::llround(rate * 0x1p16));
    const T scale = static_cast<T>(1 / (1 - static_cast<double>(threshold) * 0x1p-16));
    const Rows<T> to = step.scratch.template allocate<T>(from.size(), columns);
    constexpr std::size_t grain = 64;
    parallel_chunks(step.exec, from.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        // By the row of the table, so that the draws do not depend on the batch.
        const std::uint64_t row = 2 * std::uint64_t{side.unique_rows[k]} + side_number;
        for (std::size_t c = 0; c < columns; c += per_draw) {
          std::uint64_t bits = step.random.bits(row * draws_per_row + c / per_draw);
          for (std::size_t i = c; i < std::min(c + per_draw, columns); ++i, bits >>= 16) {
            to[k][i] = (bits & 0xFFFF) < threshold ? T{0} : scale * from[k][i];
          }
        }
      }
    });
    return to;
  }
};

static_assert(BackbonePolicy<Dropout<MF<64>>>);

}  // namespace prism::inline PRISM_ISA
