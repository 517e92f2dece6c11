// SPDX-License-Identifier: BSD-3-Clause
// What prism/data/ has that needs no policy, for the target prism::compiled.
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
