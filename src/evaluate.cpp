// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/evaluate/ declares, and templates that it lists in compiled.hpp.
#include "prism/evaluate/compiled.hpp"
#include "prism/evaluate/correlation.inl.hpp"
#include "prism/evaluate/estimate.inl.hpp"
#include "prism/evaluate/evaluated_parts.inl.hpp"
#include "prism/evaluate/list_metrics.inl.hpp"
#include "prism/evaluate/paired_test.inl.hpp"
#include "prism/evaluate/ranked_lists.inl.hpp"
#include "prism/evaluate/sample.inl.hpp"
#include "prism/evaluate/strata.inl.hpp"
#include "prism/evaluate/student_t.inl.hpp"
