// SPDX-License-Identifier: BSD-3-Clause
// Several models: grids of types, policies and models chosen at run time, hyperparameters by name.
// make_model() needs the library prism::models.
#pragma once

#include "prism/experiment/hyperparameters.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/models/any_recommender.hpp"
#include "prism/models/grid.hpp"
#include "prism/models/make_any_recommender.hpp"
#include "prism/models/make_model.hpp"
#include "prism/models/model_spec.hpp"
#include "prism/models/one_of.hpp"
#include "prism/models/policies.hpp"
#include "prism/models/released.hpp"
#include "prism/models/types.hpp"
