// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "prism/core/config.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

/// A text that identifies a set of interactions: "12 interactions of 5 users and 7 items with the
/// sum 1234". It does not depend on ids and times.
[[nodiscard]] PRISM_INLINE std::string fingerprint(const Interactions& part);

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/fingerprint.inl.hpp"
#endif
