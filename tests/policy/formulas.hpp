// SPDX-License-Identifier: BSD-3-Clause
// Losses that users might write: formulas without derivatives.
#pragma once

#include <cstddef>
#include <string_view>

#include <prism/prism.hpp>

namespace test {

/// A function of the difference, with an option of a name that no policy of the library has.
struct SquaredHinge {
  static constexpr std::string_view name = "SquaredHinge";
  static constexpr prism::Similarity similarity = prism::Similarity::cosine;
  double least_gap = 0.5;
  std::size_t negatives = 3;
  static constexpr auto options = prism::option_table(
      prism::option<&SquaredHinge::least_gap>("least_gap", prism::domain::positive),
      prism::option<&SquaredHinge::negatives>("negatives", prism::domain::at_least_one));

  template <class T>
  constexpr T pairwise(T difference) const {
    const T violation = max(T{0}, least_gap + difference);
    return violation * violation;
  }
};

/// A function of both scores. Hidasi et al.: "Session-based recommendations with recurrent neural
/// networks", ICLR 2016.
struct Top1 {
  static constexpr std::string_view name = "Top1";
  static constexpr prism::Similarity similarity = prism::Similarity::dot;
  std::size_t negatives = 3;
  static constexpr auto options = prism::option_table(
      prism::option<&Top1::negatives>("negatives", prism::domain::at_least_one));

  template <class T>
  constexpr T pairwise(T positive, T negative) const {
    return sigmoid(negative - positive) + sigmoid(negative * negative);
  }
};

/// Binary cross-entropy: a function of each score.
struct BinaryCrossEntropy {
  static constexpr std::string_view name = "BinaryCrossEntropy";
  static constexpr prism::Similarity similarity = prism::Similarity::dot;
  double weight = 2;
  std::size_t negatives = 3;
  static constexpr auto options = prism::option_table(
      prism::option<&BinaryCrossEntropy::weight>("weight", prism::domain::non_negative),
      prism::option<&BinaryCrossEntropy::negatives>("negatives", prism::domain::at_least_one));

  [[nodiscard]] constexpr double negatives_weight() const { return weight; }
  template <class T>
  constexpr T positive(T score) const {
    return softplus(-score);
  }
  template <class T>
  constexpr T negative(T score) const {
    return softplus(score);
  }
};

/// BPR without its derivative.
struct PlainBPR {
  static constexpr std::string_view name = "PlainBPR";
  static constexpr prism::Similarity similarity = prism::Similarity::dot;
  std::size_t negatives = 3;
  static constexpr auto options = prism::option_table(
      prism::option<&PlainBPR::negatives>("negatives", prism::domain::at_least_one));

  template <class T>
  constexpr T pairwise(T difference) const {
    return log(1.0 + exp(difference));
  }
};

}  // namespace test
