// SPDX-License-Identifier: BSD-3-Clause
// An item's row, the users of its pairs, and a step of gradient descent on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/random.hpp"
#include "prism/kernel/normal.hpp"
#include "prism/theory/batch_probability.hpp"
#include "prism/theory/gradient_sums.hpp"
#include "prism/theory/magnitude.hpp"

namespace prism::inline PRISM_ISA {

/// How a batch's pairs are drawn: as a part of a shuffled epoch, or independently. Negatives are
/// drawn accordingly: distinct within a batch, or independently; for Updates::every_pair, always
/// independently.
enum class PairSampling : std::uint8_t { without_replacement, with_replacement };

/// Options of simulate_change().
struct SimulationOptions {
  std::int64_t draws = 100'000;  ///< batches, from 2 to 2^31
  PairSampling sampling = PairSampling::without_replacement;
  Updates updates = Updates::at_most_one;
  std::size_t dim = 16;       ///< of the vectors, at least 2
  double confidence = 0.999;  ///< of the interval, above 0 and below 1
  std::uint64_t seed = 123;
  std::uint32_t run = 0;  ///< below 2^31; the runs of one seed have independent random numbers
};

namespace detail {

/// The random numbers of one draw, in sequence.
class RandomSequence {
 public:
  explicit RandomSequence(const Random& random) : random_(random) {}

  double uniform() { return random_.uniform(next_++); }
  std::size_t uniform_int(std::size_t n) {
    return random_.uniform_int(next_++, static_cast<std::uint32_t>(n));
  }

  /// Calls visit() for each success among `trials` of probability p, until it returns false: the
  /// gaps between successes have geometric lengths.
  template <class Visit>
  void successes(std::int64_t trials, double p, const Visit& visit) {
    if (p <= 0) return;
    const double log_failure = std::log1p(-p);  // -infinity if p is 1: no gaps
    for (double left = static_cast<double>(trials); left >= 1;) {
      left -= 1 + std::floor(std::log1p(-uniform()) / log_failure);
      if (left < 0 || !visit()) return;
    }
  }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

/// An item and the users of its pairs.
class SimulatedItem {
 public:
  SimulatedItem(const TheoremSetting& setting, const SimulationOptions& options)
      : setting_(setting), options_(options), item_(options.dim) {
    const Random random(options.seed, Stream::simulation, 2 * options.run + 1);
    constexpr std::int64_t max_users = 1024;  // further pairs repeat these users
    const auto users = static_cast<std::size_t>(std::clamp<std::int64_t>(
        setting.popularity, setting.batches.negatives > 0 ? 64 : 1, max_users));
    const std::vector<double> axis = direction(random, 0);
    for (std::size_t k = 0; k < options.dim; ++k) item_[k] = setting.pair.item * axis[k];
    users_.resize(users * options.dim);
    const double cosine = setting.pair.cosine;
    // For cosine a user's magnitude does not matter, and its square may overflow.
    const double magnitude = setting.pair_loss == PairLoss::cosine ? 1 : setting.pair.user;
    for (std::size_t u = 0; u < users; ++u) {
      const std::vector<double> orthogonal = direction(random, u + 1, axis);
      for (std::size_t k = 0; k < options.dim; ++k) {
        users_[u * options.dim + k] =
            magnitude * (cosine * axis[k] + std::sqrt(1 - cosine * cosine) * orthogonal[k]);
      }
    }
  }

  struct Change {
    double squared_norm = 0;
    bool in_batch = false;
  };

  /// Draws the part of a batch that concerns the item, and returns the change of |i|^2.
  /// @param gradient  working memory of dim numbers
  Change draw(RandomSequence draw, std::span<double> gradient) const {
    std::ranges::fill(gradient, 0.0);
    bool in_batch = false;
    const bool single_update = options_.updates == Updates::at_most_one;
    const auto visit_pair = [&](std::size_t user, double sign) {
      add_pair_gradient(user % (users_.size() / options_.dim), sign, gradient);
      in_batch = true;
      return !single_update;
    };
    draw_positives(draw, [&](std::size_t user) { return visit_pair(user, 1); });
    if (!(single_update && in_batch)) {
      draw_negatives(draw, [&](std::size_t user) { return visit_pair(user, -1); });
    }
    return {squared_norm_change(gradient, in_batch), in_batch};
  }

  /// The change in a batch without the item, or with its first pair alone.
  double without_drawing(bool in_batch, std::span<double> gradient) const {
    std::ranges::fill(gradient, 0.0);
    if (in_batch) add_pair_gradient(0, 1, gradient);
    return squared_norm_change(gradient, in_batch);
  }

 private:
  /// The change of |i|^2 in a step with minus this gradient.
  double squared_norm_change(std::span<const double> gradient, bool in_batch) const {
    const double shrinkage =
        setting_.decay == Decay::full || in_batch ? setting_.learning_rate * setting_.lambda : 0;
    const double size = setting_.learning_rate * setting_.pair_weight;
    double change = 0;
    for (std::size_t k = 0; k < item_.size(); ++k) {
      const double delta = size * gradient[k] - shrinkage * item_[k];
      change += delta * (2 * item_[k] + delta);
    }
    return change;
  }

  /// A unit vector of uniform direction, orthogonal to `axis` if one is given.
  std::vector<double> direction(const Random& random, std::size_t number,
                                std::span<const double> axis = {}) const {
    const std::size_t dim = options_.dim;
    std::vector<double> vector(dim);
    for (std::size_t k = 0; k < dim; ++k) vector[k] = standard_normal(random, number * dim + k);
    if (!axis.empty()) {
      const double projection = std::inner_product(axis.begin(), axis.end(), vector.begin(), 0.0);
      for (std::size_t k = 0; k < dim; ++k) vector[k] -= projection * axis[k];
    }
    const double magnitude =
        std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
    for (double& x : vector) x /= magnitude;
    return vector;
  }

  /// Calls visit(pair) for each of the item's pairs in the batch, until it returns false.
  template <class Visit>
  void draw_positives(RandomSequence& draw, const Visit& visit) const {
    const auto& [pairs, batch_size, negatives, items, distinct] = setting_.batches;
    const std::int64_t popularity = setting_.popularity;
    if (options_.sampling == PairSampling::with_replacement) {
      const double pair_probability = static_cast<double>(popularity) / static_cast<double>(pairs);
      draw.successes(batch_size, pair_probability,
                     [&] { return visit(draw.uniform_int(static_cast<std::size_t>(popularity))); });
      return;
    }
    // Pair by pair, with probability (places left in the batch) / (pairs left in the epoch).
    std::int64_t left = batch_size;
    for (std::int64_t pair = 0; pair < popularity && left > 0; ++pair) {
      if (draw.uniform() * static_cast<double>(pairs - pair) >= static_cast<double>(left)) continue;
      --left;
      if (!visit(static_cast<std::size_t>(pair))) return;
    }
  }

  /// Calls visit(user) each time the item is drawn as a negative, until it returns false.
  template <class Visit>
  void draw_negatives(RandomSequence& draw, const Visit& visit) const {
    const auto& [pairs, batch_size, negatives, items, distinct] = setting_.batches;
    if (negatives == 0) return;
    const std::int64_t drawn = negatives * batch_size;
    const double item_probability = 1 / static_cast<double>(items);
    const auto visit_pair = [&] { return visit(draw.uniform_int(users_.size() / options_.dim)); };
    if (options_.sampling == PairSampling::without_replacement && distinct &&
        options_.updates == Updates::at_most_one) {
      draw.successes(1, static_cast<double>(drawn) * item_probability, visit_pair);
    } else {
      draw.successes(drawn, item_probability, visit_pair);
    }
  }

  /// Adds g, minus the gradient of a pair's loss with respect to the item, times sign.
  void add_pair_gradient(std::size_t which, double sign, std::span<double> to) const {
    const std::size_t dim = options_.dim;
    const std::span<const double> user = std::span(users_).subspan(which * dim, dim);
    double uu = 0, ui = 0, ii = 0;
    for (std::size_t k = 0; k < dim; ++k) {
      uu += user[k] * user[k];
      ui += user[k] * item_[k];
      ii += item_[k] * item_[k];
    }
    const auto [user_coefficient, item_coefficient] =
        gradient_coefficients(setting_.pair_loss, uu, ui, ii);
    for (std::size_t k = 0; k < dim; ++k) {
      to[k] += sign * (user_coefficient * user[k] + item_coefficient * item_[k]);
    }
  }

  TheoremSetting setting_;
  SimulationOptions options_;
  std::vector<double> item_;
  std::vector<double> users_;  // users x dim
};

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
