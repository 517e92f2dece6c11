// SPDX-License-Identifier: BSD-3-Clause
// Functions that synthetic.hpp declares; it includes them unless PRISM_COMPILED is defined.
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
#include "prism/data/synthetic.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/normal.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<Index> SyntheticGenerator::degrees() const {
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

PRISM_INLINE void SyntheticGenerator::sample_items(Index user, std::span<Interaction> sampled,
                                                   std::vector<double>& keys,
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

PRISM_INLINE std::vector<double> SyntheticGenerator::unit_vectors(std::size_t size,
                                                                  std::uint32_t substream) const {
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

}  // namespace detail

PRISM_INLINE Interactions synthetic_interactions(const SyntheticOptions& options) {
  const auto is_exponent = [](double x) { return detail::is_finite(x) && x >= 0; };
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
