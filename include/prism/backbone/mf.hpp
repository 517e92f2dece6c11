// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "prism/backbone/embedding.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/policy/backbone.hpp"

namespace prism::inline PRISM_ISA {

/// Matrix factorisation: the output rows are the embeddings themselves. Koren et al.: "Matrix
/// factorization techniques for recommender systems", Computer 2009.
///
/// @tparam Dim  columns of both tables, at least 1; or `dynamic`: `MF<dynamic>(48)`
template <std::size_t Dim>
class MF {
 public:
  static constexpr std::string_view name = "MF";
  static constexpr BackboneTraits traits{.needs_all_rows = false};

  constexpr MF() = default;
  constexpr explicit MF(std::size_t dim)
    requires(Dim == dynamic)
      : dim_{dim} {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  /// "MF<64>"
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + std::to_string(dim()) + ">";
  }

  template <class T, Execution X>
  [[nodiscard]] ForwardResult<T> forward(const BackboneStep<T, X>& step,
                                         const Stateless<MF>&) const {
    return {{{step.tables.users, step.batch.user_side.unique_rows},
             {step.tables.items, step.batch.item_side.unique_rows}}};
  }

  template <class T, Execution X>
  [[nodiscard]] TableGradients<T> backward(const BackboneStep<T, X>& step, const Stateless<MF>&,
                                           NothingSaved,
                                           Embeddings<const T> output_gradient) const {
    const Batch& batch = step.batch;
    return {TableGradient<T>::sparse(output_gradient.users, batch.user_side),
            TableGradient<T>::sparse(output_gradient.items, batch.item_side)};
  }

  template <class T, Execution X>
  [[nodiscard]] Output<T> output(const X& /*exec*/, Embeddings<const T> tables,
                                 const Interactions& /*train*/, const Stateless<MF>&) const {
    return tables;
  }

 private:
  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
};

static_assert(BackbonePolicy<MF<64>>);
static_assert(BackbonePolicy<MF<dynamic>>);

}  // namespace prism::inline PRISM_ISA
