// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

prism::OneRegularizer<prism::None, prism::BPR> regularizer;
