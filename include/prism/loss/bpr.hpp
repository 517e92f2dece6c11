// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/row.hpp"
#include "prism/policy/loss.hpp"

namespace prism::inline PRISM_ISA {

/// Bayesian personalised ranking: mean softplus(s(u,i') - s(u,i)) over pair x negative, s the dot
/// product. Rendle et al., UAI 2009.
struct BPR {
  static constexpr std::string_view name = "BPR";

  std::size_t negatives = 1;

  template <class T>
  double operator()(const LossStep<T>& step) const {
    const Batch& batch = step.batch;
    Scratch& scratch = step.scratch;
    const std::size_t n = batch.negatives_per_pair;
    const std::size_t dim = step.output.users.dim();
    const auto [users, items] = step.output;

    // d loss / d s: column 0 for the pair's own item, the others for its negatives.
    const Rows<T> slope = scratch.take<T>(batch.pairs(), n + 1);
    const double mean = 1.0 / static_cast<double>(batch.pairs() * n);
    const double total = parallel_sum(batch.pairs(), grain, [&](auto begin, auto end) {
      double sum = 0;
      for (std::size_t p = begin; p < end; ++p) {
        const T* const u = users[batch.users[p]];
        const T positive = dot(u, items[batch.items[p]], dim);
        T pull = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const T margin = dot(u, items[batch.negatives[p * n + j]], dim) - positive;
          // softplus(x) = max(x, 0) + log(1 + exp(-|x|)), which cannot overflow.
          const T decayed = std::exp(-std::abs(margin));
          sum += static_cast<double>(std::max(margin, T{0}) + std::log1p(decayed));
          const T sigmoid = (margin >= 0 ? T{1} : decayed) / (T{1} + decayed);
          slope[p][j + 1] = static_cast<T>(mean) * sigmoid;
          pull += slope[p][j + 1];
        }
        slope[p][0] = -pull;
      }
      return sum;
    });

    parallel_chunks(users.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        T* const gradient = step.gradient.users[k];
        for (const Index p : batch.user_side.slots_of(k)) {
          add_scaled(gradient, slope[p][0], items[batch.items[p]], dim);
          for (std::size_t j = 0; j < n; ++j) {
            add_scaled(gradient, slope[p][j + 1], items[batch.negatives[p * n + j]], dim);
          }
        }
      }
    });
    parallel_chunks(items.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        for (const Index slot : batch.item_side.slots_of(k)) {
          const std::size_t p = batch.pair_of_item_slot(slot);
          const std::size_t column = slot < batch.pairs() ? 0 : 1 + (slot - batch.pairs()) % n;
          add_scaled(step.gradient.items[k], slope[p][column], users[batch.users[p]], dim);
        }
      }
    });
    return total * mean;
  }

 private:
  static constexpr std::size_t grain = 256;
};

static_assert(LossPolicy<BPR>);

}  // namespace prism::inline PRISM_ISA
