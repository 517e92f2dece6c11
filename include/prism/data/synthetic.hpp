// SPDX-License-Identifier: BSD-3-Clause
// Synthetic interactions with the main properties of real data (latent preferences and long-tailed
// popularity), for examples, tests and benchmarks that need no file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/index.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/normal.hpp"

namespace prism::inline PRISM_ISA {

struct SyntheticOptions {
  Index users = 3000;                ///< at least 1
  Index items = 2000;                ///< at least 2
  Index interactions_per_user = 40;  ///< the mean, in [1, items / 2]
  std::size_t factors = 16;          ///< dimension of the latent vectors, at least 1
  double popularity_exponent = 1.0;  ///< popularity is rank^-exponent; 0: uniform
  double affinity = 12.0;            ///< weight of the preferences; 0: none
  std::uint64_t seed = 123;          ///< equal seeds give equal data
};

namespace detail {

/// Draws synthetic interactions. They depend on the options alone, not on the number of threads.
class SyntheticGenerator {
 public:
  explicit SyntheticGenerator(const SyntheticOptions& options)
      : options_(options),
        user_vectors_(unit_vectors(options.users, 1)),
        item_vectors_(unit_vectors(options.items, 2)),
        log_popularity_(options.items) {
    // Ranks are shuffled, so that an item's row says nothing about its popularity.
    std::iota(log_popularity_.begin(), log_popularity_.end(), 1.0);
    shuffle(par, std::span(log_popularity_), random(0));
    for (double& p : log_popularity_) p = -options_.popularity_exponent * elementary::log(p);
  }

  /// The number of items of each user: log-normal above min(5, mean).
  std::vector<Index> degrees() const {
    constexpr double sigma = 1.0;
    const Random draw = random(3);
    const Index min_degree = std::min<Index>(5, options_.interactions_per_user);
    const double mean_beyond = options_.interactions_per_user - min_degree;
    std::vector<Index> degree(options_.users);
    for (Index user = 0; user < options_.users; ++user) {
      const double beyond =
          mean_beyond * elementary::exp(sigma * standard_normal(draw, user) - sigma * sigma / 2);
      const double max_degree = options_.items / 2;
      degree[user] = static_cast<Index>(std::min(max_degree, std::round(min_degree + beyond)));
    }
    return degree;
  }

  /// Fills `sampled` with distinct items, drawn one after the other with probability proportional
  /// to popularity * exp(affinity * cosine of the latent vectors). Equivalently, takes the items
  /// with the largest keys: the logarithms of these weights plus Gumbel noise (Gumbel top-k
  /// sampling).
  void sample_items(Index user, std::span<Interaction> sampled, std::vector<double>& keys,
                    std::vector<Index>& order) const {
    const Random draw = random(4);
    keys.resize(options_.items);
    order.resize(options_.items);
    std::iota(order.begin(), order.end(), Index{0});
    const double* const user_vector = user_vectors_.data() + user * options_.factors;
    for (Index item = 0; item < options_.items; ++item) {
      const double* const item_vector = item_vectors_.data() + item * options_.factors;
      const double cosine =
          std::inner_product(user_vector, user_vector + options_.factors, item_vector, 0.0);
      const double u = draw.uniform(std::uint64_t{user} * options_.items + item);
      keys[item] =
          log_popularity_[item] + options_.affinity * cosine - elementary::log(-elementary::log(u));
    }
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(sampled.size());
    std::nth_element(order.begin(), last, order.end(), [&](Index a, Index b) {
      return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
    });
    for (std::size_t k = 0; k < sampled.size(); ++k) sampled[k] = {user, order[k]};
  }

 private:
  /// Each purpose has its own substream.
  Random random(std::uint32_t substream) const {
    return {options_.seed, Stream::synthetic, substream};
  }

  /// `size` unit vectors of `factors` numbers, uniform on the sphere.
  std::vector<double> unit_vectors(std::size_t size, std::uint32_t substream) const {
    const Random draw = random(substream);
    std::vector<double> vectors(size * options_.factors);
    for (std::size_t begin = 0; begin < vectors.size(); begin += options_.factors) {
      const std::span vector = std::span(vectors).subspan(begin, options_.factors);
      double square = 0;
      for (std::size_t f = 0; f < vector.size(); ++f) {
        vector[f] = standard_normal(draw, begin + f);
        square += vector[f] * vector[f];
      }
      for (double& x : vector) x /= std::sqrt(square);
    }
    return vectors;
  }

  SyntheticOptions options_;
  std::vector<double> user_vectors_;
  std::vector<double> item_vectors_;
  std::vector<double> log_popularity_;
};

}  // namespace detail

/// Each user draws distinct items without replacement, with probability proportional to
/// rank^-popularity_exponent * exp(affinity * cosine of the two latent vectors). The number of
/// items per user is heavy-tailed around the mean and capped at half of the items, which lowers a
/// mean close to the cap.
/// @throws ArgumentError  for an option outside its domain
[[nodiscard]] inline Interactions synthetic_interactions(const SyntheticOptions& options = {}) {
  const auto is_exponent = [](double x) { return is_finite(x) && x >= 0; };
  require(options.users >= 1, "users", "must be at least 1, not 0");
  require(options.items >= 2, "items", "must be at least 2, not " + std::to_string(options.items));
  require(options.interactions_per_user >= 1 && options.interactions_per_user <= options.items / 2,
          "interactions_per_user",
          "must be in [1, items / 2], not " + std::to_string(options.interactions_per_user));
  require(options.factors >= 1, "factors", "must be at least 1, not 0");
  require(
      is_exponent(options.popularity_exponent), "popularity_exponent",
      "must be a finite number of at least 0, not " + format_number(options.popularity_exponent));
  require(is_exponent(options.affinity), "affinity",
          "must be a finite number of at least 0, not " + format_number(options.affinity));

  const detail::SyntheticGenerator generator(options);
  const std::vector<Index> degree = generator.degrees();
  std::vector<std::size_t> begin(options.users + std::size_t{1});
  std::inclusive_scan(degree.begin(), degree.end(), begin.begin() + 1, std::plus<>{},
                      std::size_t{0});
  std::vector<Interaction> pairs(begin.back());
  parallel_chunks(par, options.users, 16, [&](std::size_t first, std::size_t last) {
    std::vector<double> keys;
    std::vector<Index> order;
    for (std::size_t user = first; user < last; ++user) {
      generator.sample_items(static_cast<Index>(user),
                             std::span(pairs).subspan(begin[user], degree[user]), keys, order);
    }
  });
  return {options.users, options.items, pairs};
}

}  // namespace prism::inline PRISM_ISA
