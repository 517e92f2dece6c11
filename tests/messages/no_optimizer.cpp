// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

struct Nothing {};

prism::Recommender<prism::MF<8>, prism::BPR, prism::None, prism::Xavier, Nothing>::Options options;
