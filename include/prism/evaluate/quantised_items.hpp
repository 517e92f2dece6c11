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
          const std::size_t begin = g * (segments_ > 1 ? 4 * limits.right.segment_quads : 0);
          const std::size_t end = g + 1 < segments_ ? begin + 4 * limits.right.segment_quads : dim_;
          std::int32_t sums[4] = {};
          for (std::size_t k = begin; k < end; ++k) {
            const std::int8_t byte = bytes[column * dim_ + k];
            sums[k % 4] += byte;
            bytes_[((s * quads_ + k / 4) * panel_width + column) * 4 + k % 4] = byte;
          }
          starts_[(s * segments_ + g) * panel_width + column] = start_of(limits, sums);
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

  std::size_t dim_;
  std::size_t quads_;
  std::size_t segments_;
  TableVector<std::int8_t> bytes_;
  TableVector<std::int32_t> starts_;
  // One for each panel: a row that is not finite then leaves only the other 63 without a bound, and
  // a row of large norm loosens only theirs.
  std::vector<Quantisation> quantisations_;
};

}  // namespace prism::inline PRISM_ISA::detail
