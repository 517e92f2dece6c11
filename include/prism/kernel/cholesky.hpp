// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factors of small symmetric matrices, and the solution of their linear systems, on one
// thread. Golub, Van Loan: "Matrix computations", section 4.2.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Replaces the lower triangle of a symmetric matrix A by L, where A = L L'.
/// @param a  n x n, row-major; elements above the diagonal are neither read nor written
/// @return whether A is positive definite, up to rounding errors; if not, `a` is partly replaced
template <class Isa = isa::native, class T>
[[nodiscard]] bool cholesky(T* a, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    T* const row = a + i * n;
    for (std::size_t j = 0; j < i; ++j) {
      const T* const other = a + j * n;
      row[j] = (row[j] - dot<Isa>(row, other, j)) / other[j];
    }
    const T rounding = static_cast<T>(n) * std::numeric_limits<T>::epsilon() * row[i];
    const T square = row[i] - dot<Isa>(row, row, i);
    if (!(square > rounding)) return false;
    row[i] = std::sqrt(square);
  }
  return true;
}

/// Replaces b by the solution x of L L' x = b.
/// @param l  n x n, from cholesky()
/// @param b  n numbers
template <class Isa = isa::native, class T>
void solve_cholesky(const T* l, std::size_t n, T* b) noexcept {
  for (std::size_t i = 0; i < n; ++i) b[i] = (b[i] - dot<Isa>(l + i * n, b, i)) / l[i * n + i];
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= l[i * n + i];
    add_scaled<Isa>(b, -b[i], l + i * n, i);
  }
}

}  // namespace prism::inline PRISM_ISA::detail
