// SPDX-License-Identifier: BSD-3-Clause
// Tiles of the matrix of all pairs' potentials, on a processor's tile unit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/bfloat16_tile.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/matrix_product.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/ops/split_panel.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Like PairTiles. Rows x are divided into panels. For panels i and j with the matrix W of their
/// potentials, x_i x_j^T gives W, W x_j is added to the sums of panel i, and x_i^T W to those of
/// panel j, which are therefore kept transposed. Panel i is thus needed as a left factor and panel
/// j as a right factor, each also transposed, and W is split for both sides while in registers.
template <class Unit, class Isa>
class SplitPairTiles {
  static constexpr std::size_t panel = panel_rows;
  static constexpr std::size_t squares = squares_of_panel;
  using Tile = SplitTile<2>;

 public:
  /// Larger blocks would be read less often, but leave less to do in parallel.
  static constexpr std::size_t block = 128;

  template <HostExecution X>
  SplitPairTiles(const X& exec, Rows<const float> unit, float rate, Scratch& scratch)
      : unit_(unit),
        rate_(rate),
        panels_((unit.size() + panel - 1) / panel),
        depth_(squares_of(unit.dim())) {
    const std::size_t tiles = tiles_of_panel(depth_);
    left_ = scratch.allocate<Tile>(panels_, tiles);
    left_transposed_ = scratch.allocate<Tile>(panels_, tiles);
    right_ = scratch.allocate<Tile>(panels_, tiles);
    right_transposed_ = scratch.allocate<Tile>(panels_, tiles);
    sums_ = scratch.allocate_zeros<float>(exec, panels_ * panel, depth_ * square_side);
    sums_transposed_ = scratch.allocate_zeros<float>(exec, panels_ * depth_ * square_side, panel);
    parallel_tasks(exec, panels_, [&](std::size_t p) { split_panel(p); });
  }

  [[nodiscard]] std::size_t blocks() const noexcept { return (unit_.size() + block - 1) / block; }

  /// See PairTiles.
  double accumulate_tile(std::size_t i, std::size_t j) const noexcept {
    const typename Unit::Session session;
    constexpr std::size_t block_panels = block / panel;
    const std::size_t i_end = std::min((i + 1) * block_panels, panels_);
    const std::size_t j_end = std::min((j + 1) * block_panels, panels_);
    double total = 0;
    for (std::size_t a = i * block_panels; a < i_end; ++a) {
      for (std::size_t b = i == j ? a : j * block_panels; b < j_end; ++b) {
        total += accumulate_panels(a, b);
      }
    }
    return total;
  }

  template <HostExecution X>
  void add_sums(const X& exec, float factor, Rows<float> gradient) const {
    parallel_tasks(exec, panels_, [&](std::size_t p) {
      for (std::size_t r = 0; r < rows_of(p); ++r) {
        float* const to = gradient[p * panel + r];
        const float* const as_left = sums_[p * panel + r];
        const float* const as_right = sums_transposed_[p * sums_.dim()] + r;
        for (std::size_t c = 0; c < unit_.dim(); ++c) {
          to[c] += factor * (as_left[c] + as_right[c * panel]);
        }
      }
    });
  }

 private:
  [[nodiscard]] std::size_t rows_of(std::size_t p) const noexcept {
    return std::min(panel, unit_.size() - p * panel);
  }

  void split_panel(std::size_t p) const noexcept {
    split_rows<Unit, Isa>(
        rows_of(p), unit_.dim(), [&](std::size_t r) { return unit_[p * panel + r]; }, left_[p],
        right_[p]);
    for (std::size_t t = 0; t < left_.dim(); ++t) {
      transpose_pairs(left_[p][t], right_transposed_[p][t]);
      transpose_pairs(right_[p][t], left_transposed_[p][t]);
    }
  }

  /// @param i  at most j, so panel i is full unless i is j
  double accumulate_panels(std::size_t i, std::size_t j) const noexcept {
    alignas(64) float potentials[panel * panel];
    Tile left[tiles_of_panel(squares)];
    Tile right[tiles_of_panel(squares)];
    for (std::size_t g = 0; g < squares; ++g) {
      for (std::size_t h = 0; h < squares; ++h) {
        Unit::template product<Store::overwrite>(
            TiledFactor{left_[i] + 2 * g * depth_, depth_},
            TiledFactor{right_transposed_[j] + 2 * h * depth_, depth_}, depth_,
            potentials + g * square_side * panel + h * square_side, panel);
      }
    }
    const double total = cosines_to_potentials(potentials, i, j, left, right);
    for (std::size_t g = 0; g < squares; ++g) {
      for (std::size_t d = 0; d < depth_; ++d) {
        Unit::template product<Store::add>(
            TiledFactor{left + 2 * g * squares, squares},
            TiledFactor{right_[j] + 2 * d * squares, squares}, squares,
            sums_[i * panel + g * square_side] + d * square_side, sums_.dim());
        Unit::template product<Store::add>(
            TiledFactor{left_transposed_[i] + 2 * d * squares, squares},
            TiledFactor{right + 2 * g * squares, squares}, squares,
            sums_transposed_[j * sums_.dim() + d * square_side] + g * square_side, panel);
      }
    }
    return total;
  }

  /// Splits the potentials exp(rate (cos - 1)), with zeros on and below the diagonal and beyond the
  /// last row; returns their sum.
  double cosines_to_potentials(float* tile, std::size_t i, std::size_t j, Tile* left,
                               Tile* right) const noexcept {
    using P = Pack<float, Isa>;
    static_assert(panel % P::width == 0);
    const P rate = P::broadcast(rate_), minus_rate = P::broadcast(-rate_);
    const auto potential = [=](P cosine) {
      return exp(fused_multiply_add(cosine, rate, minus_rate));
    };
    const std::size_t columns = rows_of(j);
    P total = P::broadcast(0);
    if (i != j && columns == panel) {
      const auto add_potential = [&](P cosine) {
        const P value = potential(cosine);
        total = total + value;
        return value;
      };
      split_square_panel<Unit, Isa>(tile, panel, add_potential, left, right);
      return static_cast<double>(sum(total));
    }
    for (std::size_t r = 0; r < panel; ++r) {
      float* const row = tile + r * panel;
      const std::size_t first = i == j ? std::min(r + 1, columns) : 0;
      for (std::size_t c = 0; c < panel; c += P::width) {
        potential(P::load(row + c)).store(row + c);
      }
      std::fill(row, row + first, 0.0F);
      std::fill(row + columns, row + panel, 0.0F);
      for (std::size_t c = 0; c < panel; c += P::width) total = total + P::load(row + c);
    }
    split_square_panel<Unit, Isa>(tile, panel, std::identity{}, left, right);
    return static_cast<double>(sum(total));
  }

  Rows<const float> unit_;
  float rate_;
  std::size_t panels_;
  std::size_t depth_;  // of a row, in squares
  Rows<Tile> left_, left_transposed_, right_, right_transposed_;
  Rows<float> sums_;             // of rows as panel i
  Rows<float> sums_transposed_;  // of rows as panel j
};

}  // namespace prism::inline PRISM_ISA::detail
