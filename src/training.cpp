// SPDX-License-Identifier: BSD-3-Clause
// What prism/training/ has that needs no policy, for the target prism::compiled.
#define PRISM_INSTANTIATE

#include "prism/training/checkpoint.inl.hpp"
#include "prism/training/compiled.hpp"
#include "prism/training/fit_options.inl.hpp"
#include "prism/training/progress.inl.hpp"
#include "prism/training/run_settings.inl.hpp"
#include "prism/training/schedule.inl.hpp"
#include "prism/training/stop_rules.inl.hpp"
