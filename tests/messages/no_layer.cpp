// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::Recommender<prism::MLP<8, 0>, prism::BPR>::Options options;
