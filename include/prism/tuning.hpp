// SPDX-License-Identifier: BSD-3-Clause
// Search of hyperparameters, with records of trials. Needs nlohmann-json.
#pragma once

#include "prism/experiment/candidates.hpp"
#include "prism/experiment/run_trials.hpp"
#include "prism/experiment/search_space.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/experiment/trial_records.hpp"
#include "prism/experiment/tune.hpp"
#include "prism/models.hpp"
