// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <string_view>

#include "prism/core/binary_file.hpp"
#include "prism/core/binary_tables.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/execution/serial.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

inline constexpr Domain adam_beta{.text = "in [0, 1)", .low = 0, .high = 1, .excludes_high = true};
// Smaller numbers are 0 in float, and weights without a gradient would become NaN.
inline constexpr Domain adam_epsilon{"a number of at least 1e-30", 1e-30};

}  // namespace detail

/// Adam as in torch.optim.Adam: each step updates every row, including those with a zero gradient,
/// and decay is added to the gradient (L2, not AdamW). Kingma, Ba, ICLR 2015. The reference for
/// `Adam`, which gives the same weights at the cost of the batch's rows instead of the table's.
struct DenseAdam {
  static constexpr std::string_view name = "DenseAdam";

  double beta1 = 0.9;     ///< in [0, 1)
  double beta2 = 0.999;   ///< in [0, 1)
  double epsilon = 1e-8;  ///< at least 1e-30

  /// The learning rate whose steps move a row of dim columns by about `length`: Adam moves each
  /// column by about the learning rate (Kingma, Ba, section 2.1).
  [[nodiscard]] double learning_rate_of_step(double length, std::size_t dim) const {
    return length / std::sqrt(static_cast<double>(dim));
  }

  static constexpr auto options =
      option_table(option<&DenseAdam::beta1>("beta1", detail::adam_beta),
                   option<&DenseAdam::beta2>("beta2", detail::adam_beta),
                   option<&DenseAdam::epsilon>("epsilon", detail::adam_epsilon));

  /// The moments, size x dim each.
  template <class T>
  struct State {
    /// @param memory  null for table_memory()
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory = nullptr)
        : first(zeros<T>(size, dim, memory)), second(zeros<T>(size, dim, memory)) {}
    Matrix<T> first;
    Matrix<T> second;

    /// Whether all moments are finite: a weight whose moment has overflowed no longer changes.
    template <Execution X = Serial>
    [[nodiscard]] bool finite(const X& exec = {}) const {
      const auto moments_finite = [&](const Matrix<T>& moments) {
        return all_finite(exec, std::span<const T>(moments.data(), moments.size()));
      };
      return moments_finite(first) && moments_finite(second);
    }

    void save(BinaryWriter& out) const {
      for (const Matrix<T>* moments : {&first, &second}) {
        write_numbers(out, device_memory(memory_of(*moments)),
                      std::span<const T>(moments->data(), moments->size()));
      }
    }
    void load(BinaryReader& in) {
      for (Matrix<T>* moments : {&first, &second}) {
        read_numbers(in, device_memory(memory_of(*moments)),
                     std::span<T>(moments->data(), moments->size()));
      }
    }
  };

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    const detail::AdamConstants<T> constant(beta1, beta2, epsilon, table.lowest, table.highest);
    const detail::AdamStep<T> step(info.learning_rate, beta1, beta2, info.step);
    const Rows<T> first = rows(state.first), second = rows(state.second);
    const RowDecay active_decay(regularizer, table.popularity, true);
    const RowDecay inactive_decay(regularizer, table.popularity, false);
    constexpr std::size_t grain = 1024;
    for_each_row(exec, table.rows.size(), grain, [=] PRISM_HOST_DEVICE(std::size_t r) {
      const double decay = gradient.in_batch(r) ? active_decay(r) : inactive_decay(r);
      detail::adam_row<typename X::isa>(table.rows[r], first[r], second[r], gradient.of(r),
                                        static_cast<T>(decay), constant, step, table.rows.dim());
    });
  }
};

static_assert(OptimizerPolicy<DenseAdam>);

}  // namespace prism::inline PRISM_ISA
