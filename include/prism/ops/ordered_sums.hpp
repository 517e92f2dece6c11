// SPDX-License-Identifier: BSD-3-Clause
// Sums over all rows of a batch, and over the occurrences of a row. The host adds from the first to
// the last, so the result depends on nothing else; a device adds in blocks, in an order that
// depends only on the number of terms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/weighted_sum.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Columns [first, first + count) of rows.
template <class T>
struct ColumnRange {
  IndexedRows<const T> rows;
  std::size_t first;
  std::size_t count;

  [[nodiscard]] PRISM_HOST_DEVICE const T* operator[](std::size_t r) const noexcept {
    return rows[r] + first;
  }
  [[nodiscard]] PRISM_HOST_DEVICE std::size_t dim() const noexcept { return count; }
};

/// to[b] = the weighted sum of the b-th `block` rows.
template <class T, DeviceExecution X>
void sum_blocks_of_rows(const X& exec, IndexedRows<const T> rows, const T* weight,
                        std::size_t block, Rows<T> to) {
  constexpr std::size_t grain = 1;
  for_each_row(exec, to.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t b) {
    const std::size_t first = b * block;
    const std::size_t left = rows.size() - first;
    weighted_sum<typename X::isa>(
        to[b], T{1}, left < block ? left : block, [=](std::size_t j) { return first + j; },
        [=](std::size_t j) { return weight == nullptr ? T{1} : weight[first + j]; }, rows);
  });
}

}  // namespace detail

/// The sum of body(i), a double, over [0, n).
/// @param body  [=] PRISM_HOST_DEVICE(std::size_t i) -> double {...}; on a device a lane calls it
template <HostExecution X, class Body>
[[nodiscard]] double sum_over_elements(const X& exec, std::size_t n, const Body& body) {
  const std::size_t one_chunk = std::max(n, std::size_t{1});
  return sum_over_rows(exec, n, one_chunk, body);
}
template <DeviceExecution X, class Body>
[[nodiscard]] double sum_over_elements(const X& exec, std::size_t n, const Body& body) {
  constexpr std::size_t grain = 1, block = 256;
  return sum_over_rows(
      exec, (n + block - 1) / block, grain, [=] PRISM_HOST_DEVICE(std::size_t b) -> double {
        using Lane = Lanes<typename X::isa>;
        const std::size_t end = (b + 1) * block < n ? (b + 1) * block : n;
        double total = 0;
        for (std::size_t i = b * block + Lane::first(); i < end; i += Lane::step()) {
          total += body(i);
        }
        return Lane::sum(total);
      });
}

/// to[k] = the sum of term(p), a T, over the occurrences p of active row k.
/// @param term  [=] PRISM_HOST_DEVICE(std::size_t p) -> T {...}; on a device a lane calls it
/// @param to    num_active x 1, overwritten
template <class T, Execution X, class Term>
void sum_over_occurrences(const X& exec, BatchSide side, const Term& term, Rows<T> to) {
  constexpr std::size_t grain = 256;
  for_each_row(exec, side.num_active, grain, [=] PRISM_HOST_DEVICE(std::size_t k) {
    using Lane = Lanes<typename X::isa>;
    const std::span<const Index> occurrences = side.occurrence_positions(k);
    T lane_sum = 0;
    for (std::size_t s = Lane::first(); s < occurrences.size(); s += Lane::step()) {
      lane_sum += term(occurrences[s]);
    }
    const T total = Lane::sum(lane_sum);
    Lane::once([=] { *to[k] = total; });
  });
}

/// to = the sum of weight[k] * rows[k] over all rows.
/// @param weight   one for each row; null means 1 for each
/// @param to       dim elements, overwritten
/// @param scratch  for a device's partial sums
template <class T, HostExecution X>
void sum_rows(const X& exec, IndexedRows<const T> rows, const T* weight, T* to,
              Scratch& /*scratch*/) {
  using Isa = typename X::isa;
  // Columns in parallel, as many at a time as weighted_sum holds in registers.
  constexpr std::size_t columns = 4 * Pack<T, Isa>::width;
  const std::size_t dim = rows.dim();
  parallel_tasks(exec, (dim + columns - 1) / columns, [=](std::size_t block) {
    const std::size_t first = block * columns;
    weighted_sum<Isa>(
        to + first, T{1}, rows.size(), [](std::size_t k) { return k; },
        [=](std::size_t k) { return weight == nullptr ? T{1} : weight[k]; },
        detail::ColumnRange<T>{rows, first, std::min(columns, dim - first)});
  });
}
template <class T, DeviceExecution X>
void sum_rows(const X& exec, IndexedRows<const T> rows, const T* weight, T* to, Scratch& scratch) {
  constexpr std::size_t block = 64;
  const std::size_t dim = rows.dim();
  while (rows.size() > block) {
    const Rows<T> sums = scratch.allocate<T>((rows.size() + block - 1) / block, dim);
    detail::sum_blocks_of_rows<T>(exec, rows, weight, block, sums);
    rows = IndexedRows<const T>(sums);
    weight = nullptr;
  }
  detail::sum_blocks_of_rows<T>(exec, rows, weight, block, Rows<T>(to, 1, dim));
}

}  // namespace prism::inline PRISM_ISA
