// SPDX-License-Identifier: BSD-3-Clause
// The templates of this folder that prism::compiled instantiates, for float on the host's threads.
#pragma once

#ifndef PRISM_COMPILED
#error "only for prism::compiled"
#endif

#include "prism/core/config.hpp"
#include "prism/execution/host.hpp"
#include "prism/serve/recommend.hpp"

namespace prism::inline PRISM_ISA {

PRISM_EXTERN_TEMPLATE std::vector<ScoredItem<float>> recommend(const Host<>&, const Scorer<float>&,
                                                               const Interactions&, Index,
                                                               std::size_t,
                                                               const RecommendOptions&);
PRISM_EXTERN_TEMPLATE std::vector<std::vector<ScoredItem<float>>> recommend(
    const Host<>&, const Scorer<float>&, const Interactions&, std::span<const Index>, std::size_t,
    const RecommendOptions&);

}  // namespace prism::inline PRISM_ISA
