// SPDX-License-Identifier: BSD-3-Clause
// A correct file compiles, so that the other tests fail for the reason that they test.
#include "model.hpp"

// A correct loss with every optional function.
struct Mine {
  static constexpr std::string_view name = "Mine";
  std::size_t negatives = 1;

  constexpr prism::LossTraits traits() const {
    return {.negatives = negatives, .has_ranking_rule = true};
  }
  std::string label() const { return "Mine<1>"; }
  void check() const {}

  template <class T>
  struct State {
    State(const Mine&, const prism::StateContext&) {}
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
  template <class T, prism::Execution X>
  double operator()(const prism::LossStep<T, X>&, const State<T>&) const {
    return 0;
  }
  template <class T, prism::Execution X>
  void ranking_rule(const X&, prism::Scorer<T>&, const State<T>&) const {}
  template <class T, prism::Execution X>
  void begin_epoch(const prism::EpochStart<T, X>&, State<T>&) const {}
};
static_assert(prism::check_loss<Mine>() && prism::check_loss<Mine, float, prism::Serial>());

prism::Recommender<prism::MF<8>, prism::BPR>::Options options;
prism::Recommender<prism::MLP<8>, prism::Penalized<Mine, prism::ReSN>>::Options other_options;
