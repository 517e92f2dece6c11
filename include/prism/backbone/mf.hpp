// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/policy/backbone.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// An embedding's dimension as a constant of the type, which takes no room, or as a number.
template <std::size_t Dim>
struct EmbeddingDim {
  static_assert(Dim > 0, "an embedding's dimension must be at least 1");
  static constexpr std::size_t value = Dim;
};
template <>
struct EmbeddingDim<dynamic> {
  std::size_t value = 64;
};

}  // namespace detail

/// Matrix factorisation: the output rows are the table rows themselves.
///
/// @tparam Dim  columns of both tables, at least 1; or `dynamic`: `MF<dynamic>(48)`
template <std::size_t Dim>
class MF {
 public:
  static constexpr std::string_view name = "MF";

  constexpr MF() = default;
  constexpr explicit MF(std::size_t dim) requires(Dim == dynamic) : dim_{dim} {}

  [[nodiscard]] constexpr std::size_t dim() const noexcept { return dim_.value; }

  /// The name with its dimension: "MF<64>".
  [[nodiscard]] std::string label() const {
    return std::string(name) + "<" + std::to_string(dim()) + ">";
  }

  template <class T>
  void forward(Embeddings<const T> tables, const Batch& batch, Stateless<MF>&,
               Embeddings<T> output) const {
    gather(tables.users, batch.user_side.rows, output.users);
    gather(tables.items, batch.item_side.rows, output.items);
  }

  template <class T>
  [[nodiscard]] TableGradients<T> backward(Embeddings<const T> /*tables*/, const Batch& batch,
                                           Stateless<MF>&, Embeddings<const T> output_gradient,
                                           Scratch&) const {
    return {TableGradient<T>::of_batch_rows(output_gradient.users, batch.user_side),
            TableGradient<T>::of_batch_rows(output_gradient.items, batch.item_side)};
  }

  template <class T>
  [[nodiscard]] Embeddings<const T> output(Embeddings<const T> tables, Stateless<MF>&) const {
    return tables;
  }

 private:
  template <class T>
  static void gather(Rows<const T> table, std::span<const Index> from, Rows<T> to) {
    constexpr std::size_t grain = 512;
    parallel_chunks(from.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) std::copy_n(table[from[k]], table.dim(), to[k]);
    });
  }

  [[no_unique_address]] detail::EmbeddingDim<Dim> dim_;
};

static_assert(BackbonePolicy<MF<64>>);
static_assert(BackbonePolicy<MF<dynamic>>);

}  // namespace prism::inline PRISM_ISA
