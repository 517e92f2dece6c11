// SPDX-License-Identifier: BSD-3-Clause
// Training and evaluation: fit, retrain, sessions with checkpoints, observers, schedules, metrics,
// fold-in by gradient steps.
#pragma once

#include "prism/core/cpu_quota.hpp"
#include "prism/data.hpp"
#include "prism/evaluate/correlation.hpp"
#include "prism/evaluate/estimate.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/most_popular.hpp"
#include "prism/evaluate/paired_test.hpp"
#include "prism/evaluate/rank_candidates.hpp"
#include "prism/evaluate/ranked_lists.hpp"
#include "prism/evaluate/ranking.hpp"
#include "prism/evaluate/ranking_curve.hpp"
#include "prism/evaluate/sample.hpp"
#include "prism/evaluate/test_time_aggregation.hpp"
#include "prism/evaluate/user_metrics.hpp"
#include "prism/fold_in/gradient_fold_in.hpp"
#include "prism/model.hpp"
#include "prism/training/expected_epoch_change.hpp"
#include "prism/training/fit.hpp"
#include "prism/training/magnitude_probe.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/progress.hpp"
#include "prism/training/retrain.hpp"
#include "prism/training/row_magnitudes.hpp"
#include "prism/training/schedule.hpp"
#include "prism/training/training_session.hpp"

#ifdef PRISM_COMPILED
#include "prism/evaluate/compiled.hpp"
#include "prism/training/compiled.hpp"
#endif
