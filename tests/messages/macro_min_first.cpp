// SPDX-License-Identifier: BSD-3-Clause
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#include <prism/prism.hpp>

prism::Recommender<prism::MF<8>, prism::BPR>::Options options;
