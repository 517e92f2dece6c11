// SPDX-License-Identifier: BSD-3-Clause
// The templates of optimizers that prism::compiled instantiates: Adam's, for float on the host's
// threads, with each regularizer.
#pragma once

#ifndef PRISM_COMPILED
#error "only for prism::compiled"
#endif

#include "prism/core/config.hpp"
#include "prism/execution/host.hpp"
#include "prism/optimizer/adam_rows.hpp"
#include "prism/optimizer/lazy_adam.hpp"
#include "prism/regularizer/batched_wd.hpp"
#include "prism/regularizer/full_wd.hpp"
#include "prism/regularizer/none.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_EXTERN_TEMPLATE class LazyAdamState<float, AdamRows>;
PRISM_EXTERN_TEMPLATE void LazyAdamState<float, AdamRows>::load(BinaryReader&, const Host<>&);
PRISM_EXTERN_TEMPLATE bool LazyAdamState<float, AdamRows>::finite(const Host<>&) const;

PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::apply_deferred(const Host<>&,
                                                                     std::span<const Index>,
                                                                     const None&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::flush(const Host<>&, const None&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::step(const Host<>&,
                                                           const TableGradient<float>&, StepInfo,
                                                           const None&) const;

PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::apply_deferred(const Host<>&,
                                                                     std::span<const Index>,
                                                                     const BatchedWD&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::flush(const Host<>&, const BatchedWD&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::step(const Host<>&,
                                                           const TableGradient<float>&, StepInfo,
                                                           const BatchedWD&) const;

PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::apply_deferred(const Host<>&,
                                                                     std::span<const Index>,
                                                                     const FullWD&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::flush(const Host<>&, const FullWD&) const;
PRISM_EXTERN_TEMPLATE void LazyAdam<float, AdamRows>::step(const Host<>&,
                                                           const TableGradient<float>&, StepInfo,
                                                           const FullWD&) const;

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
