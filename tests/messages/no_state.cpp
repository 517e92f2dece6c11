// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

// A loss whose state cannot be visited.
struct Closed {
  static constexpr std::string_view name = "Closed";
  template <class T>
  struct State {
    State(const Closed&, const prism::StateContext&) {}
  };
  template <class T, class X>
  double operator()(const prism::LossStep<T, X>&, State<T>&) const {
    return 0;
  }
};

prism::Recommender<prism::MF<8>, Closed>::Options options;
