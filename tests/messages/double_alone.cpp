// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

// A loss for double, in a model of float.
struct ForDouble {
  static constexpr std::string_view name = "ForDouble";
  double operator()(const prism::LossStep<double>&) const { return 0; }
};
static_assert(prism::LossPolicy<ForDouble>);

prism::Recommender<prism::MF<8>, ForDouble>::Options options;
