// SPDX-License-Identifier: BSD-3-Clause
// Items' scoring rows as panels of bytes, for quantised pruning.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/kernel/byte_accumulator.hpp"
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/quantised_bound.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Rows as panels of bytes, for the accumulator of the execution's instruction set.
class QuantisedItems {
 public:
  template <Execution X>
  QuantisedItems(const X& exec, Rows<const float> rows)
      : dim_(rows.dim()),
        quads_((dim_ + 3) / 4),
        segments_(ByteAccumulator<typename X::isa>::limits.segments(quads_)),
        bytes_(panels_of(rows) * panel_width * 4 * quads_, std::int8_t{0}),
        starts_(panels_of(rows) * panel_width * segments_, 0),
        quantisations_(panels_of(rows)) {
    using Isa = typename X::isa;
    constexpr ByteLimits limits = ByteAccumulator<Isa>::limits;
    parallel_tasks(exec, quantisations_.size(), [&](std::size_t s) {
      const std::size_t first = s * panel_width;
      const std::size_t count = std::min(panel_width, rows.size() - first);
      std::vector<std::int8_t> bytes(panel_width * dim_);
      std::vector<float> residual(dim_);
      quantisations_[s] =
          quantise<Isa>(bytes.data(), rows[first], count, dim_, residual.data(), limits.right);
      for (std::size_t column = 0; column < panel_width; ++column) {
        for (std::size_t g = 0; g < segments_; ++g) {
          starts_[(s * segments_ + g) * panel_width + column] =
              write_segment(s, column, g, bytes.data() + column * dim_, limits);
        }
      }
    });
  }

  [[nodiscard]] std::size_t quads() const noexcept { return quads_; }
  /// Panel s.
  [[nodiscard]] QuantisedPanel operator[](std::size_t s) const noexcept {
    const std::size_t first = s * panel_width;
    return {bytes_.data() + first * 4 * quads_, starts_.data() + first * segments_,
            quantisations_[s]};
  }

 private:
  static constexpr std::size_t panel_width = quantised_panel_width;

  static std::size_t panels_of(Rows<const float> rows) noexcept {
    return (rows.size() + panel_width - 1) / panel_width;
  }

  /// Copies segment g of a column to panel s.
  /// @return the value that its sums start from
  std::int32_t write_segment(std::size_t s, std::size_t column, std::size_t g,
                             const std::int8_t* bytes, const ByteLimits& limits) {
    const std::size_t segment = segments_ > 1 ? limits.right.segment_quads : quads_;
    const std::size_t end = std::min(quads_, (g + 1) * segment);
    std::int32_t sums[4] = {};
    for (std::size_t quad = g * segment; quad < end; ++quad) {
      std::int8_t* const to = bytes_.data() + ((s * quads_ + quad) * panel_width + column) * 4;
      std::copy_n(bytes + 4 * quad, std::min<std::size_t>(4, dim_ - 4 * quad), to);
      for (std::size_t j = 0; j < 4; ++j) sums[j] += to[j];
    }
    return start_of(limits, sums);
  }

  std::size_t dim_;
  std::size_t quads_;
  std::size_t segments_;
  TableVector<std::int8_t> bytes_;
  TableVector<std::int32_t> starts_;
  // One for each panel, so that a row that is not finite leaves only the panel's other 63 without a
  // bound, and a row of large norm loosens only their bounds.
  std::vector<Quantisation> quantisations_;
};

}  // namespace prism::inline PRISM_ISA::detail
