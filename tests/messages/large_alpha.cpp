// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

prism::Recommender<prism::MF<8>, prism::BPR, prism::None, prism::PRISM<4.0>>::Options options;
