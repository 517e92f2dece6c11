// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::OneRegularizer<prism::None, prism::BPR> regularizer;
