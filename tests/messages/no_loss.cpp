// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

// A loss without a name, which is what is easily forgotten.
struct Nameless {
  template <class T, class X>
  double operator()(const prism::LossStep<T, X>&) const {
    return 0;
  }
};

prism::Recommender<prism::MF<8>, Nameless>::Options options;
