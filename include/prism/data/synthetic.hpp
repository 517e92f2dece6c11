// SPDX-License-Identifier: BSD-3-Clause
// Synthetic interactions with the main properties of real data (latent preferences and long-tailed
// popularity), for examples, tests and benchmarks that need no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/interactions.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/elementary.hpp"

namespace prism::inline PRISM_ISA {

/// Options of synthetic_interactions().
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
  std::vector<Index> degrees() const;

  /// Fills `sampled` with distinct items, drawn one after the other with probability proportional
  /// to popularity * exp(affinity * cosine of the latent vectors). Equivalently, takes the items
  /// with the largest keys: the logarithms of these weights plus Gumbel noise (Gumbel top-k
  /// sampling).
  void sample_items(Index user, std::span<Interaction> sampled, std::vector<double>& keys,
                    std::vector<Index>& order) const;

 private:
  /// Each purpose has its own substream.
  Random random(std::uint32_t substream) const {
    return {options_.seed, Stream::synthetic, substream};
  }

  /// `size` unit vectors of `factors` numbers, uniform on the sphere.
  std::vector<double> unit_vectors(std::size_t size, std::uint32_t substream) const;

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
[[nodiscard]] PRISM_INLINE Interactions
synthetic_interactions(const SyntheticOptions& options = {});

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/synthetic.inl.hpp"
#endif
