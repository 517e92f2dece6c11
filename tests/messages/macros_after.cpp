// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

// As in X11 and windows.h.
#define None 0L
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

prism::Recommender<prism::MF<8>, prism::BPR>::Options options;
