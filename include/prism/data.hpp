// SPDX-License-Identifier: BSD-3-Clause
// Interactions: reading, splits, samples, synthetic data.
#pragma once

#include "prism/data/append.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/k_core.hpp"
#include "prism/data/read.hpp"
#include "prism/data/split.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/data/strong_generalization.hpp"
#include "prism/data/synthetic.hpp"
#include "prism/data/temporal_split.hpp"
