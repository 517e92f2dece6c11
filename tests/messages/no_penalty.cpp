// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

prism::Penalized<prism::BPR, prism::None> loss;
