// SPDX-License-Identifier: BSD-3-Clause
// Interactions and embeddings as Arrow's C data, without a copy through text.
#pragma once

#include "prism/data/arrow.hpp"
#include "prism/serve/arrow.hpp"
