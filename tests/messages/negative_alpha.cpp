// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::Recommender<prism::MF<8>, prism::BPR, prism::None, prism::PRISM<-1.0>>::Options options;
