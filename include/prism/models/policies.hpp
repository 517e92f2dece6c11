// SPDX-License-Identifier: BSD-3-Clause
// Every policy of the library, by kind: the choices of an experiment, and what the tests iterate
// over.
#pragma once

#include "prism/backbone/dropout.hpp"
#include "prism/backbone/lightgcn.hpp"
#include "prism/backbone/mf.hpp"
#include "prism/backbone/mlp.hpp"
#include "prism/backbone/simplex.hpp"
#include "prism/core/config.hpp"
#include "prism/initializer/prism.hpp"
#include "prism/initializer/xavier.hpp"
#include "prism/loss/bpr.hpp"
#include "prism/loss/bsl.hpp"
#include "prism/loss/ccl.hpp"
#include "prism/loss/cosine.hpp"
#include "prism/loss/directau.hpp"
#include "prism/loss/dot.hpp"
#include "prism/loss/euclidean.hpp"
#include "prism/loss/macr.hpp"
#include "prism/loss/mawu.hpp"
#include "prism/loss/psl.hpp"
#include "prism/loss/slk.hpp"
#include "prism/loss/ssm.hpp"
#include "prism/loss/ultragcn.hpp"
#include "prism/models/types.hpp"
#include "prism/optimizer/adam.hpp"
#include "prism/optimizer/dense_adam.hpp"
#include "prism/optimizer/partial_row_wise_adam.hpp"
#include "prism/optimizer/sgd.hpp"
#include "prism/penalty/ipl.hpp"
#include "prism/penalty/resn.hpp"
#include "prism/regularizer/batched_wd.hpp"
#include "prism/regularizer/full_wd.hpp"
#include "prism/regularizer/none.hpp"
#include "prism/sampler/all_in_batch.hpp"
#include "prism/sampler/in_batch.hpp"
#include "prism/sampler/popularity.hpp"
#include "prism/sampler/shared.hpp"
#include "prism/sampler/uniform.hpp"
#include "prism/sampler/unobserved.hpp"

namespace prism::inline PRISM_ISA {

namespace all {

using Backbones = Types<MF<dynamic>, MLP<dynamic>, LightGCN<dynamic>, SimpleX<dynamic>>;
using Losses =
    Types<BPR, SSM, DirectAU, MAWU, MACR, BSL, PSL, SLK, CCL, UltraGCN, Cosine, Dot, Euclidean>;
using Penalties = Types<IPL, ReSN>;
using Regularizers = Types<None, BatchedWD, FullWD>;
using Initializers = Types<Xavier, PRISM<dynamic>>;
using Optimizers = Types<Adam, DenseAdam, PartialRowWiseAdam, SGD>;
using Samplers = Types<UniformNegatives, UnobservedNegatives, InBatchNegatives, PopularityNegatives,
                       SharedNegatives<UniformNegatives>, SharedNegatives<PopularityNegatives>,
                       SharedNegatives<InBatchNegatives>, AllInBatchNegatives>;

}  // namespace all

}  // namespace prism::inline PRISM_ISA
