// SPDX-License-Identifier: BSD-3-Clause
// What follows training: recommendations, an index of items, similar items, saved models, and rows
// of users and items that training did not see (fold-in in closed form). It includes no training;
// fold-in by gradient steps is in prism/training.hpp.
#pragma once

#include "prism/core/cpu_quota.hpp"
#include "prism/data.hpp"
#include "prism/fold_in/fold_in.hpp"
#include "prism/fold_in/new_rows.hpp"
#include "prism/model.hpp"
#include "prism/serve/item_filter.hpp"
#include "prism/serve/item_index.hpp"
#include "prism/serve/load_model.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/npy_reader.hpp"
#include "prism/serve/recommend.hpp"
#include "prism/serve/row_magnitude.hpp"
#include "prism/serve/save.hpp"
#include "prism/serve/save_model.hpp"
#include "prism/serve/saved_scorer.hpp"
#include "prism/serve/similar_items.hpp"
#include "prism/serve/warm_start.hpp"

#ifdef PRISM_COMPILED
#include "prism/serve/compiled.hpp"
#endif
