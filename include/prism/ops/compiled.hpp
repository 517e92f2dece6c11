// SPDX-License-Identifier: BSD-3-Clause
// The templates of this folder that prism::compiled instantiates, for float on the host's threads.
#pragma once

#ifndef PRISM_COMPILED
#error "only for prism::compiled"
#endif

#include "prism/core/config.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/execution/host.hpp"
#include "prism/ops/fill.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/unit_rows.hpp"
#include "prism/ops/with_ranking.hpp"

namespace prism::inline PRISM_ISA {

PRISM_EXTERN_TEMPLATE void fill_uniform(const Host<>&, Rows<float>, double, const Random&);
PRISM_EXTERN_TEMPLATE UnitRows<float> normalise_rows(const Host<>&, IndexedRows<const float>,
                                                     Scratch&);
PRISM_EXTERN_TEMPLATE Scorer<float> with_ranking(const Host<>&, const Scorer<float>&,
                                                 const Ranking&, const Interactions&);

namespace detail {

PRISM_EXTERN_TEMPLATE Scorer<float> ranked_scorer(const Host<>&, const Scorer<float>&,
                                                  const Ranking&, const Interactions&);
PRISM_EXTERN_TEMPLATE class SharedProducts<float, isa::native>;
PRISM_EXTERN_TEMPLATE Rows<float> SharedProducts<float, isa::native>::gradients<Store::overwrite>(
    std::size_t, std::size_t, const float*) const;
PRISM_EXTERN_TEMPLATE Rows<float> SharedProducts<float, isa::native>::gradients<Store::add>(
    std::size_t, std::size_t, const float*) const;
PRISM_EXTERN_TEMPLATE void for_each_item_gradient<float>(const Host<>&, const Batch&,
                                                         IndexedRows<const float>,
                                                         Rows<const float>,
                                                         const StoreUnitRow<float, isa::native>&);
PRISM_EXTERN_TEMPLATE void for_each_item_gradient<float>(const Host<>&, const Batch&,
                                                         IndexedRows<const float>,
                                                         Rows<const float>,
                                                         const StoreRow<float, isa::native>&);

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
