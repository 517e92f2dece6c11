// SPDX-License-Identifier: BSD-3-Clause
// The functions that prism/data/ declares.
#include "prism/data/append.inl.hpp"
#include "prism/data/fingerprint.inl.hpp"
#include "prism/data/ids.inl.hpp"
#include "prism/data/interactions.inl.hpp"
#include "prism/data/k_core.inl.hpp"
#include "prism/data/read.inl.hpp"
#include "prism/data/read_summary.inl.hpp"
#include "prism/data/split.inl.hpp"
#include "prism/data/strong_generalization.inl.hpp"
#include "prism/data/synthetic.inl.hpp"
#include "prism/data/temporal_split.inl.hpp"
