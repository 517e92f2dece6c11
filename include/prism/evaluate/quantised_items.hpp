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
#include "prism/kernel/quantise.hpp"
#include "prism/kernel/quantised_bound.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Rows as panels of bytes.
class QuantisedItems {
 public:
  template <Execution X>
  QuantisedItems(const X& exec, Rows<const float> rows)
      : dim_(rows.dim()),
        quads_((dim_ + 3) / 4),
        bytes_(panels_of(rows) * panel_width * 4 * quads_, std::int8_t{0}),
        zero_point_offsets_(panels_of(rows) * panel_width),
        quantisations_(panels_of(rows)) {
    parallel_tasks(exec, quantisations_.size(), [&](std::size_t s) {
      const std::size_t first = s * panel_width;
      const std::size_t count = std::min(panel_width, rows.size() - first);
      std::vector<std::int8_t> bytes(panel_width * dim_);
      std::vector<float> residual(dim_);
      quantisations_[s] =
          quantise<typename X::isa>(bytes.data(), rows[first], count, dim_, residual.data());
      for (std::size_t column = 0; column < panel_width; ++column) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < dim_; ++k) {
          const std::int8_t byte = bytes[column * dim_ + k];
          sum += byte;
          bytes_[((s * quads_ + k / 4) * panel_width + column) * 4 + k % 4] = byte;
        }
        zero_point_offsets_[first + column] = -128 * sum;
      }
    });
  }

  [[nodiscard]] std::size_t quads() const noexcept { return quads_; }
  /// Panel s.
  [[nodiscard]] QuantisedPanel operator[](std::size_t s) const noexcept {
    const std::size_t first = s * panel_width;
    return {bytes_.data() + first * 4 * quads_, zero_point_offsets_.data() + first,
            quantisations_[s]};
  }

 private:
  static constexpr std::size_t panel_width = quantised_panel_width;

  static std::size_t panels_of(Rows<const float> rows) noexcept {
    return (rows.size() + panel_width - 1) / panel_width;
  }

  std::size_t dim_;
  std::size_t quads_;
  TableVector<std::int8_t> bytes_;
  TableVector<std::int32_t> zero_point_offsets_;
  // One for each panel: a row that is not finite then leaves only the other 63 without a bound, and
  // a row of large norm loosens only theirs.
  std::vector<Quantisation> quantisations_;
};

}  // namespace prism::inline PRISM_ISA::detail
