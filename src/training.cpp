// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/training/ declares, and templates that it lists in compiled.hpp.
#include "prism/training/checkpoint.inl.hpp"
#include "prism/training/compiled.hpp"
#include "prism/training/fit_options.inl.hpp"
#include "prism/training/progress.inl.hpp"
#include "prism/training/run_settings.inl.hpp"
#include "prism/training/schedule.inl.hpp"
#include "prism/training/stop_rules.inl.hpp"
