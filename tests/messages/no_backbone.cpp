// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

struct Nothing {};

prism::Recommender<Nothing, prism::BPR>::Options options;
