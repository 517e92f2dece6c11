// SPDX-License-Identifier: BSD-3-Clause
// Several models: grids of types, policies and models chosen at run time, hyperparameters by name.
#pragma once

#include "prism/experiment/any_recommender.hpp"
#include "prism/experiment/grid.hpp"
#include "prism/experiment/hyperparameters.hpp"
#include "prism/experiment/make_any_recommender.hpp"
#include "prism/experiment/one_of.hpp"
#include "prism/experiment/policies.hpp"
#include "prism/experiment/released.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/types.hpp"
