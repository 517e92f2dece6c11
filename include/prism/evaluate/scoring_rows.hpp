// SPDX-License-Identifier: BSD-3-Clause
// Scoring rows, whose dot products are a scorer's scores, and panels of the items' scoring rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/similarity.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/output.hpp"

namespace prism::inline PRISM_ISA::detail {

/// @throws ArgumentError  if a scorer's rows, or its factors, do not fit together
template <class T>
void check_scorer(const Scorer<T>& scorer) {
  const Rows<const T> users = scorer.output.users(), items = scorer.output.items();
  require(users.dim() == items.dim() || users.size() == 0 || items.size() == 0, "scorer",
          "must have rows of the same dimension for users and items, not " +
              std::to_string(users.dim()) + " and " + std::to_string(items.dim()));
  const auto check_factor = [](const char* name, const std::vector<T>& factor, std::size_t size) {
    require(factor.empty() || factor.size() == size, name,
            "must be empty, or have " + std::to_string(size) + " numbers, not " +
                std::to_string(factor.size()));
  };
  check_factor("user_factor", scorer.user_factor, users.size());
  check_factor("item_factor", scorer.item_factor, items.size());
}

/// The dimension of scoring rows. An offset takes an additional column:
/// f g (u . i - offset) = (f u, f) . (g i, -g offset).
template <class T>
[[nodiscard]] std::size_t scoring_dim(const Scorer<T>& scorer) noexcept {
  return scorer.output.items().dim() + (scorer.offset != 0 ? 1 : 0);
}

/// The direction of a row. Rows of any magnitude have one: those that a ranking has made so short
/// or long that `normalise` would not divide by their norm are brought near 1 first, exactly.
template <class Isa, class T>
PRISM_HOST_DEVICE void write_direction(T* to, const T* row, std::size_t dim) noexcept {
  T magnitude = normalise<Isa>(to, row, dim);
  const auto in_range = [](T number) {
    return number > static_cast<T>(min_norm) && is_finite(number);
  };
  if (in_range(magnitude)) return;
  constexpr int steps = std::is_same_v<T, float> ? 1 : 11;  // from the ends of the type's range
  const T factor = static_cast<T>(is_finite(magnitude) ? 0x1p100 : 0x1p-100);
  scale<Isa>(to, factor, row, dim);
  for (int step = 1; step < steps; ++step) {
    magnitude = norm<Isa>(to, dim);
    if (in_range(magnitude)) break;
    scale<Isa>(to, factor, to, dim);
  }
  normalise<Isa>(to, to, dim);
}

/// @param to      scoring_dim(scorer) elements, overwritten
/// @param factor  f of the user, or g of the item
/// @param extra   the additional column without its factor: 1 for users, -offset for items
template <class Isa, class T>
PRISM_HOST_DEVICE void write_scoring_row(T* to, const T* row, std::size_t dim, T factor, T extra,
                                         bool has_extra, Similarity similarity) noexcept {
  if (similarity == Similarity::cosine) {
    write_direction<Isa>(to, row, dim);
    scale<Isa>(to, factor, to, dim);
  } else {
    scale<Isa>(to, factor, row, dim);
  }
  if (has_extra) Lanes<Isa>::once([&] { to[dim] = factor * extra; });
}

/// Whether an item's scoring row is its output row, to the last bit.
template <class T>
[[nodiscard]] bool scores_by_output_rows(const Scorer<T>& scorer, Similarity similarity) noexcept {
  return similarity == Similarity::dot && scorer.item_factor.empty() && scorer.offset == 0;
}

template <class Isa, class T>
void write_user(T* to, const Scorer<T>& scorer, std::size_t user, Similarity similarity) noexcept {
  const Rows<const T> users = scorer.output.users();
  write_scoring_row<Isa>(to, users[user], users.dim(), scorer.factor_of_user(user), T{1},
                         scorer.offset != 0, similarity);
}

template <class Isa, class T>
void write_item(T* to, const Scorer<T>& scorer, std::size_t item, Similarity similarity) noexcept {
  const Rows<const T> items = scorer.output.items();
  write_scoring_row<Isa>(to, items[item], items.dim(), scorer.factor_of_item(item), -scorer.offset,
                         scorer.offset != 0, similarity);
}

/// An upper bound of a row's magnitude: the score of two rows, as it is computed, is at most the
/// product of their bounds. Unbounded if a number is not finite.
template <class Isa, class T>
[[nodiscard]] T magnitude_bound(const T* row, std::size_t dim) noexcept {
  // The squares of smaller numbers might be denormal, and count as zero.
  constexpr T min_abs = static_cast<T>(0x1p-30);
  T largest = 0;
  for (std::size_t k = 0; k < dim; ++k) {
    if (!is_finite(row[k])) return unbounded<T>;
    largest = std::max(largest, std::abs(row[k]));
  }
  const T columns = static_cast<T>(dim + 16);
  // Each of the two rows contributes the error of 2 (dim + 16) roundings.
  const T length = norm<Isa>(row, dim) * (1 + columns * std::numeric_limits<T>::epsilon());
  return std::max(length, min_abs * columns);
}

/// Panels of 64 neighbouring items' scoring rows, each transposed.
template <class T>
class ItemPanels {
 public:
  static constexpr std::size_t panel_width = 64;

  /// @param order     the item at each position; if empty, items are in the order of their ids
  /// @param positions  the number of positions, from the first, that have panels
  template <Execution X>
  ItemPanels(const X& exec, const Scorer<T>& scorer, Similarity similarity,
             std::span<const Index> order = {},
             std::size_t positions = std::numeric_limits<std::size_t>::max())
      : size_(std::min(positions, scorer.output.items().size())),
        dim_(scoring_dim(scorer)),
        data_(panels() * dim_ * panel_width, T{0}) {
    parallel_tasks(exec, panels(), [&](std::size_t s) {
      std::vector<T> row(dim_);
      for (std::size_t column = 0; column < panel_width; ++column) {
        const std::size_t position = s * panel_width + column;
        if (position >= size_) break;  // the last panel is padded with zeros
        const std::size_t item = order.empty() ? position : order[position];
        write_item<typename X::isa>(row.data(), scorer, item, similarity);
        for (std::size_t k = 0; k < dim_; ++k) {
          data_[(s * dim_ + k) * panel_width + column] = row[k];
        }
      }
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::size_t panels() const noexcept {
    return (size_ + panel_width - 1) / panel_width;
  }
  /// Panel s: dim x panel_width, row-major.
  [[nodiscard]] const T* operator[](std::size_t s) const noexcept {
    return data_.data() + s * dim_ * panel_width;
  }

 private:
  std::size_t size_;
  std::size_t dim_;
  TableVector<T> data_;
};

}  // namespace prism::inline PRISM_ISA::detail
