// SPDX-License-Identifier: BSD-3-Clause
// The headers that the tests of messages need, precompiled once for all of them: policies of each
// kind, the model and its training.
#pragma once

#include <prism/backbone/mf.hpp>
#include <prism/backbone/mlp.hpp>
#include <prism/execution/host.hpp>
#include <prism/execution/serial.hpp>
#include <prism/initializer/prism.hpp>
#include <prism/loss/bpr.hpp>
#include <prism/model/recommender.hpp>
#include <prism/models/grid.hpp>
#include <prism/models/one_of.hpp>
#include <prism/penalty/penalized.hpp>
#include <prism/penalty/resn.hpp>
#include <prism/regularizer/full_wd.hpp>
#include <prism/training/fit.hpp>
