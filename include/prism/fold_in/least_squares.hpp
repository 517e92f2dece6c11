// SPDX-License-Identifier: BSD-3-Clause
// New rows of one side by regularised least squares against the frozen rows of the other: one half
// of a sweep of alternating least squares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/similarity.hpp"
#include "prism/kernel/cholesky.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// Options of LeastSquares.
struct LeastSquaresOptions {
  /// Weight of unobserved pairs, whose target score is 0, relative to observed pairs, whose target
  /// score is 1; from 0 to 1.
  double unobserved_weight = 0.01;
  /// Ridge parameter, as a multiple of the frozen rows' mean squared magnitude, so that it means
  /// the same for small and large magnitudes; at least 0. The greater it is, the closer a row is to
  /// the direction of the sum of the observed rows. The defaults suited a model trained with SSM
  /// (docs/how_to/new_users.md).
  double lambda = 30;
  /// The similarity that is fitted: with `cosine`, the frozen rows are normalised.
  Similarity similarity = Similarity::dot;

  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require(unobserved_weight >= 0 && unobserved_weight <= 1, "unobserved_weight",
            "must be from 0 to 1, not " + format_number(unobserved_weight));
    require_non_negative("lambda", lambda);
    require_enumerator("similarity", similarity, Similarity::cosine);
  }
};

/// The row x that minimises
///   sum over observed rows v of (1 - x.v)^2 + w sum over the other rows v of (x.v)^2
///     + lambda m |x|^2,
/// with w the unobserved_weight, m the mean of |v|^2. Hu, Koren, Volinsky: "Collaborative filtering
/// for implicit feedback datasets", ICDM 2008, where it is a user's step with the confidences 1/w
/// and 1. The sum over all rows is computed once; each row then costs dim^2 per observed row, plus
/// dim^3. All arithmetic is in double, whatever T is.
template <class T>
class LeastSquares {
 public:
  /// @param frozen  the items' rows to solve for users, the users' rows to solve for items: a view,
  ///     whose rows must outlive the object
  /// @throws ArgumentError  for an option outside its domain, or a frozen row that is not finite
  template <Execution X>
  LeastSquares(const X& exec, Rows<const T> frozen, const LeastSquaresOptions& options = {})
      : frozen_(frozen), options_(options), dim_(frozen.dim()), gram_(dim_ * dim_) {
    options.check();
    using Isa = typename X::isa;
    // Each task sums some of the matrix's rows over all frozen rows, so no partial sums are stored.
    constexpr std::size_t grain = 8;
    parallel_chunks(exec, dim_, grain, [&](std::size_t begin, std::size_t end) {
      std::vector<double> row(dim_);
      for (std::size_t k = 0; k < frozen_.size(); ++k) {
        load<Isa>(k, row.data());
        for (std::size_t r = begin; r < end; ++r) {
          add_scaled<Isa>(gram_.data() + r * dim_, row[r], row.data(), r + 1);
        }
      }
    });
    double trace = 0;
    for (std::size_t r = 0; r < dim_; ++r) trace += gram_[r * dim_ + r];
    if (!detail::is_finite(trace))
      fail_at_row<Isa>();  // otherwise it would seem to be lambda's fault
    const auto size = static_cast<double>(std::max<std::size_t>(1, frozen_.size()));
    ridge_ = options.lambda * (trace / size);
    require(detail::is_finite(ridge_), "lambda",
            "must be smaller than " + format_number(options.lambda) +
                ", whose product with the rows' mean squared magnitude is not finite");
    all_zero_ = trace == 0;
    for (double& sum : gram_) sum *= options.unobserved_weight;
  }

  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }

  /// Solves for `count` rows, and stores the solutions as they are; see the overload below.
  template <Execution X, class Observed>
  void solve(const X& exec, std::size_t count, const Observed& observed, Rows<T> to) const {
    solve(exec, count, observed, to, [](std::size_t, std::span<double>) {});
  }

  /// Solves for `count` rows. A row without observations is zero.
  /// @param observed  std::span<const Index>(std::size_t row): the frozen rows that it was observed
  ///     with, each once
  /// @param to        count x dim, overwritten
  /// @param finish    called with each solution, as (std::size_t row, std::span<double>), before it
  ///     is rounded to T
  /// @throws ArgumentError  if a row is out of range; if there is no unique solution, as with a
  ///     lambda of 0 and fewer frozen rows than columns, or frozen rows that are all zero
  template <Execution X, class Observed, class Finish>
  void solve(const X& exec, std::size_t count, const Observed& observed, Rows<T> to,
             const Finish& finish) const {
    using Isa = typename X::isa;
    constexpr std::size_t grain = 16;
    parallel_chunks(exec, count, grain, [&](std::size_t begin, std::size_t end) {
      std::vector<double> matrix(dim_ * dim_), row(dim_), solution(dim_);
      for (std::size_t k = begin; k < end; ++k) {
        const std::span<const Index> with = observed(k);
        std::ranges::fill(solution, 0.0);
        if (!with.empty()) {
          std::ranges::copy(gram_, matrix.begin());
          add_observed<Isa>(with, matrix, row, solution);
          solve_one<Isa>(matrix, solution);
        }
        finish(k, std::span(solution));
        std::ranges::transform(solution, to[k], [](double x) { return static_cast<T>(x); });
      }
    });
  }

 private:
  template <class Isa>
  void load(std::size_t k, double* to) const {
    const T* const from = frozen_[k];
    for (std::size_t c = 0; c < dim_; ++c) to[c] = static_cast<double>(from[c]);
    if (options_.similarity == Similarity::cosine) normalise<Isa>(to, to, dim_);
  }

  /// Names the frozen row with which the trace stops being finite.
  template <class Isa>
  [[noreturn]] void fail_at_row() const {
    std::vector<double> row(dim_);
    double trace = 0;
    std::size_t k = 0;
    for (; k + 1 < frozen_.size(); ++k) {
      load<Isa>(k, row.data());
      trace += dot<Isa>(row.data(), row.data(), dim_);
      if (!detail::is_finite(trace)) break;
    }
    throw ArgumentError(
        "frozen", "must have output rows with a finite sum of squared magnitudes, which row " +
                      std::to_string(k) + " makes infinite or NaN");
  }

  /// Adds the observed rows' part to the lower triangle, and their sum to `sum`.
  template <class Isa>
  void add_observed(std::span<const Index> with, std::vector<double>& matrix,
                    std::vector<double>& row, std::vector<double>& sum) const {
    for (const Index v : with) {
      if (v >= frozen_.size()) {
        throw ArgumentError("history",
                            "must have row numbers below " + std::to_string(frozen_.size()) +
                                ", the model's number of rows, not " + std::to_string(v));
      }
      load<Isa>(v, row.data());
      add_scaled<Isa>(sum.data(), 1.0, row.data(), dim_);
      for (std::size_t r = 0; r < dim_; ++r) {
        add_scaled<Isa>(matrix.data() + r * dim_, (1 - options_.unobserved_weight) * row[r],
                        row.data(), r + 1);
      }
    }
  }

  template <class Isa>
  void solve_one(std::vector<double>& matrix, std::vector<double>& solution) const {
    for (std::size_t r = 0; r < dim_; ++r) matrix[r * dim_ + r] += ridge_;
    require(!all_zero_, "frozen", "must have output rows that are not all zero");
    require(detail::cholesky<Isa>(matrix.data(), dim_), "lambda",
            "must be greater than " + format_number(options_.lambda) +
                ", with which the least-squares problem has no unique solution");
    detail::solve_cholesky<Isa>(matrix.data(), dim_, solution.data());
  }

  Rows<const T> frozen_;
  LeastSquaresOptions options_;
  std::size_t dim_;
  std::vector<double> gram_;  // of the frozen rows, times unobserved_weight; lower triangle
  double ridge_ = 0;
  bool all_zero_ = false;  // the frozen rows
};

}  // namespace prism::inline PRISM_ISA
