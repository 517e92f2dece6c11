// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/similarity.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/score_formula.hpp"

namespace prism::inline PRISM_ISA {

/// Cosine contrastive loss: mean over the batch's pairs of
///   (1 - cos(u, i)) + weight * mean_j max(0, cos(u, j) - margin),
/// where j runs over the pair's unmasked negatives. Mao et al.: "SimpleX: A simple and strong
/// baseline for collaborative filtering", CIKM 2021. The defaults are those published for MF on
/// Gowalla and Yelp2018 (Amazon-Book: 1500 negatives, margin 0.2, weight 250).
struct CCL {
  static constexpr std::string_view name = "CCL";
  static constexpr Similarity similarity = Similarity::cosine;

  std::size_t negatives = 800;  ///< per pair, at least 1
  double margin = 0.9;          ///< cosine below which a negative does not count, from -1 to 1
  double weight = 150;          ///< of the negatives' term, at least 0

  static constexpr auto options =
      option_table(option<&CCL::negatives>("negatives", domain::at_least_one),
                   option<&CCL::margin>("margin", Domain{"a cosine, from -1 to 1", -1, 1}),
                   option<&CCL::weight>("weight", domain::non_negative));

  [[nodiscard]] constexpr double negatives_weight() const noexcept { return weight; }

  template <class T>
  [[nodiscard]] constexpr ValueAndDerivative<T> positive(T cosine) const noexcept {
    return {1 - cosine, T{-1}};
  }
  template <class T>
  [[nodiscard]] constexpr ValueAndDerivative<T> negative(T cosine) const noexcept {
    const T above = cosine - static_cast<T>(margin);
    if (above <= 0) return {0, 0};  // not for NaN
    return {above, T{1}};
  }
};

static_assert(LossPolicy<CCL>);

}  // namespace prism::inline PRISM_ISA
