// SPDX-License-Identifier: BSD-3-Clause
// Losses that are formulas of scores, and do not meet the requirements; as loss.cpp.
#include "model.hpp"

using namespace prism;

struct Difference {
  static constexpr std::string_view name = "Difference";
  template <class T>
  constexpr T pairwise(T difference) const {
    return difference;
  }
};

// case similarity: a loss that is a formula of scores must say which: static constexpr Similarity
#ifdef CASE_similarity
struct Mine : Difference {};
#endif

// case two_formulas: a loss must be one formula of scores, pairwise, positive (and negative) or
#ifdef CASE_two_formulas
struct Mine : Difference {
  static constexpr Similarity similarity = Similarity::dot;
  template <class T>
  constexpr T positive(T score) const {
    return score;
  }
};
#endif

// case of_double: a loss's formula must be a template that returns its argument's type
#ifdef CASE_of_double
struct Mine {
  static constexpr std::string_view name = "Mine";
  static constexpr Similarity similarity = Similarity::dot;
  double pairwise(double difference) const { return difference; }
};
#endif

// case and_operator: a loss must be one formula of scores, pairwise, positive (and negative)
#ifdef CASE_and_operator
struct Mine : Difference {
  static constexpr Similarity similarity = Similarity::dot;
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) const {
    return 0;
  }
};
#endif

// case with_state: a loss that is a formula of scores has no State
#ifdef CASE_with_state
struct Mine : Difference {
  static constexpr Similarity similarity = Similarity::dot;
  template <class T>
  struct State {
    State(const Mine&, const StateContext&) {}
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
};
#endif

Recommender<MF<8>, Mine>::Options options;
