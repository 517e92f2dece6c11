// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::Recommender<prism::MF<8>, prism::BPR, prism::Xavier>::Options options;
