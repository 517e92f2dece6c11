// SPDX-License-Identifier: BSD-3-Clause
// For policies of one's own: the requirements of each kind, the operations to write them with, and
// checks of their gradients.
#pragma once

#include "prism/kernel/dual.hpp"
#include "prism/ops/evaluate_loss.hpp"
#include "prism/ops/operations.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/initializer.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/optimizer.hpp"
#include "prism/policy/option.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/regularizer.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/policy/score_formula.hpp"
#include "prism/testing/gradient_check.hpp"
