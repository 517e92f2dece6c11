// SPDX-License-Identifier: BSD-3-Clause
// Collaborative filtering with parts chosen at compile time: data, models, training and serving.
// Apart from it: prism/extend.hpp (policies of one's own), prism/tuning.hpp (needs nlohmann-json),
// prism/arrow.hpp, prism/theory.hpp and prism/cuda.hpp.
#pragma once

// First, because its errors say why nothing else would compile.
#include "prism/core/config.hpp"

#include "prism/data.hpp"
#include "prism/model.hpp"
#include "prism/models.hpp"
#include "prism/serving.hpp"
#include "prism/training.hpp"
