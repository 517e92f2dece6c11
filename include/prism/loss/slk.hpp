// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/masked_score.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/unseen_item.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/row.hpp"
#include "prism/kernel/scalar.hpp"
#include "prism/kernel/softmax.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/policy/epoch_start.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"

namespace prism::inline PRISM_ISA {

/// SoftmaxLoss@K, for NDCG@K: mean over the batch's pairs of
///   w_ui log sum_j exp((cos(u, j) - cos(u, i)) / tau_d),
///   w_ui = sigmoid((cos(u, i) - beta_u) / tau_w),
/// where j runs over the pair's negatives only; 0 if all of them are masked. The user's quantile
/// beta_u is the K-th largest cosine among the user's training items and quantile_negatives items
/// drawn uniformly from the others, or the smallest if there are fewer than K. The gradient treats
/// it as constant; it is recomputed before the first epoch and every refresh_epochs epochs after
/// that. Yang et al.: "Breaking the Top-K barrier: Advancing Top-K ranking metrics optimization in
/// recommender systems", KDD 2025.
///
/// With the gradient through w_ui, a step lowers cos(u, i), which should rise, where (1 - w_ui) log
/// sum_j ... is above tau_w / tau_d: set constant_weight unless tau_w is far above tau_d.
///
/// The published code calls tau_d and tau_w tau and tau_beta, starts with beta = 0, computes beta
/// batch by batch in epochs refresh_epochs, 2 refresh_epochs ..., and omits the last training items
/// of users who have more of them than nine tenths of all users. Its gradient goes through the
/// weight; it uses tau_w from 0.5 to 3 and refresh_epochs 5 and 20.
struct SLK {
  static constexpr std::string_view name = "SLK";

  std::size_t negatives = 1000;           ///< per pair, at least 1
  std::size_t k = 20;                     ///< at least 1
  double tau_d = 0.1;                     ///< temperature of the sum, from 1e-6 to 1e6
  double tau_w = 2.25;                    ///< temperature of the weight, from 1e-6 to 1e6
  bool constant_weight = false;           ///< whether the gradient treats w_ui as constant
  std::size_t quantile_negatives = 1000;  ///< at least 1; all items if there are no more
  std::size_t refresh_epochs = 20;        ///< at least 1

  static constexpr auto options = option_table(
      option<&SLK::negatives>("negatives", domain::at_least_one),
      option<&SLK::k>("k", domain::at_least_one), option<&SLK::tau_d>("tau_d", domain::temperature),
      option<&SLK::tau_w>("tau_w", domain::temperature),
      option<&SLK::constant_weight>("constant_weight"),
      option<&SLK::quantile_negatives>("quantile_negatives", domain::at_least_one),
      option<&SLK::refresh_epochs>("refresh_epochs", domain::at_least_one));

  /// The quantiles, users x 1; 0 before the first epoch.
  template <class T>
  struct State {
    Matrix<T> beta;

    State(const SLK&, const StateContext& context)
        : beta(zeros<T>(context.train.users(), 1, context.memory)) {}
    State(const State& other, std::pmr::memory_resource* memory)
        : beta(copy_of(other.beta, memory)) {}

    template <class Visit>
    void for_each_parameter(const Visit& visit) {
      visit(
          ParameterView<T>{.rows = rows(beta), .reached = ParameterRows::users, .trained = false});
    }
  };

  [[nodiscard]] constexpr LossTraits traits() const noexcept {
    return {.negatives = negatives, .overwrites_gradient = true, .takes_shared_negatives = true};
  }

  template <class T, Execution X>
  double operator()(const LossStep<T, X>& step, const State<T>& state) const {
    using Isa = typename X::isa;
    const Batch& batch = step.batch;
    const UnitOutput<T> unit_output = normalise_output(step);
    const auto pairs = static_cast<double>(batch.pairs());
    const T inverse_temperature = static_cast<T>(1 / tau_d);
    const Rows<const T> beta = rows(state.beta);
    const std::span<const Index> user_of_pair = batch.users;
    const std::span<const Index> table_row = batch.user_side.unique_rows;
    const double sum_temperature = tau_d, weight_temperature = tau_w;
    const bool constant = constant_weight;
    const double total = loss_over_cosines(
        step, unit_output,
        [=] PRISM_HOST_DEVICE(std::size_t p, PairScores<T, Isa> cosines) -> double {
          const ScoreRange<T, Isa> negative_cosines = cosines.negatives();
          const T maximum = negative_cosines.largest();
          if (maximum <= masked_score<T>) {
            cosines.all().fill(T{0});  // the pair has no negative
            return 0.0;
          }
          const T positive = cosines.positive();
          const T quantile = *beta[table_row[user_of_pair[p]]];
          const double above = static_cast<double>(positive - quantile) / weight_temperature;
          const double weight = sigmoid(above);
          const double d_weight = constant ? 0 : weight * sigmoid(-above) / weight_temperature;
          const T sum = negative_cosines.softmax_terms(inverse_temperature, maximum);
          const double log_sum = elementary::log(static_cast<double>(sum)) +
                                 static_cast<double>(inverse_temperature * (maximum - positive));
          negative_cosines.multiply(static_cast<T>(weight / pairs) * inverse_temperature / sum);
          cosines.set_positive(
              static_cast<T>((d_weight * log_sum - weight / sum_temperature) / pairs));
          return weight * log_sum;
        });
    return total / pairs;
  }

  /// Computes the quantiles, in epochs 1, 1 + refresh_epochs, 1 + 2 refresh_epochs ...
  template <class T, Execution X>
  void begin_epoch(const EpochStart<T, X>& start, State<T>& state) const {
    if ((start.epoch - 1) % refresh_epochs != 0) return;
    const Output<T> output = start.output();
    // Selecting the K-th largest runs on the host.
    const auto host = host_of(start.exec);
    const auto numbers_of = [](Rows<const T> table) {
      return std::span<const T>(table.data(), table.num_elements());
    };
    const HostView<T, X> user_view(start.exec, numbers_of(output.users()));
    const HostView<T, X> item_view(start.exec, numbers_of(output.items()));
    const std::size_t dim = output.users().dim();
    const Rows<const T> users(user_view.numbers().data(), output.users().size(), dim);
    const Rows<const T> items(item_view.numbers().data(), output.items().size(), dim);
    const std::vector<T> inverse_norm = inverse_norms(host, items);
    std::vector<T> beta(users.size());
    constexpr std::size_t grain = 64;
    parallel_chunks(host, users.size(), grain, [&](std::size_t begin, std::size_t end) {
      std::vector<Index> compared;
      std::vector<T> cosine;
      for (std::size_t u = begin; u < end; ++u) {
        draw_compared(start, static_cast<Index>(u), compared);
        cosines<typename decltype(host)::isa>(users[u], items, compared, inverse_norm, cosine);
        const std::size_t place = std::min(k, cosine.size()) - 1;
        // k is small: most cosines are compared once, with the k-th largest so far.
        std::ranges::partial_sort(cosine, cosine.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                                  std::greater<>());
        beta[u] = cosine[place];
      }
    });
    copy_across(device_memory(memory_of(start.exec)), std::span<const T>(beta),
                std::span<T>(state.beta.data(), state.beta.size()));
  }

 private:
  /// 1 / |x| of each row.
  template <class T, Execution X>
  static std::vector<T> inverse_norms(const X& exec, Rows<const T> table) {
    std::vector<T> inverse(table.size());
    constexpr std::size_t grain = 1024;
    parallel_chunks(exec, table.size(), grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        inverse[r] =
            1 / std::max(norm<typename X::isa>(table[r], table.dim()), static_cast<T>(min_norm));
      }
    });
    return inverse;
  }

  /// Draws the items over which a user's quantile is taken.
  template <class T, Execution X>
  void draw_compared(const EpochStart<T, X>& start, Index user,
                     std::vector<Index>& compared) const {
    const std::span<const Index> seen = start.train.on_host().items_of(user);
    const auto unseen = static_cast<Index>(start.train.items() - seen.size());
    compared.assign(seen.begin(), seen.end());
    if (unseen <= quantile_negatives) {
      for (Index rank = 0; rank < unseen; ++rank)
        compared.push_back(detail::unseen_item(rank, seen));
      return;
    }
    const std::uint64_t first = std::uint64_t{user} * quantile_negatives;
    for (std::size_t q = 0; q < quantile_negatives; ++q) {
      compared.push_back(detail::unseen_item(start.random.uniform_int(first + q, unseen), seen));
    }
  }

  template <class Isa, class T>
  static void cosines(const T* user, Rows<const T> items, std::span<const Index> compared,
                      const std::vector<T>& inverse_norm, std::vector<T>& cosine) {
    const std::size_t dim = items.dim();
    const T inverse = 1 / std::max(norm<Isa>(user, dim), static_cast<T>(min_norm));
    constexpr std::size_t prefetch_distance = 8;
    cosine.resize(compared.size());
    for (std::size_t q = 0; q < compared.size(); ++q) {
      if (q + prefetch_distance < compared.size()) {
        prefetch(items[compared[q + prefetch_distance]], dim);
      }
      const Index item = compared[q];
      const T c = inverse * inverse_norm[item] * dot<Isa>(user, items[item], dim);
      // NaN has no order.
      cosine[q] = detail::is_finite(c) ? c : T{0};
    }
  }
};

static_assert(LossPolicy<SLK>);

}  // namespace prism::inline PRISM_ISA
