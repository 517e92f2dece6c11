// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

prism::Recommender<prism::MLP<8, 0>, prism::BPR>::Options options;
