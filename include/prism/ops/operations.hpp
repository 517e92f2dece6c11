// SPDX-License-Identifier: BSD-3-Clause
// The heavy operations: what losses, backbones and penalties call in place of loops of their own.
// Each takes the execution first (or a step, which has it) and views of rows. Those here run
// wherever rows lie in the host's memory; an execution elsewhere overloads them for its own type.
//
//   pair_scores.hpp     loss_over_scores         scores of pairs, and the gradient of their rows
//                       for_each_score_gradient  the same, the gradient going anywhere
//   unit_rows.hpp       normalise_rows           rows of length 1
//                       loss_over_cosines        scores of unit rows, and the gradient
//                       accumulate_unit_gradient the gradient through the normalisation
//   pair_potential.hpp  pair_potential           the Gaussian potential of all pairs of rows
//   uniformity.hpp      uniformity               the logarithm of its mean
//   tower.hpp           tower_forward, _backward dense layers
//   propagation.hpp     mean_of_layers           products with the graph's adjacency matrix
//   fill.hpp            fill_uniform             random starting values
//
// Above this layer are two more: evaluate/ranking.hpp has rank_items (scores of all items, top k),
// and an optimizer steps the rows of a table.
#pragma once

#include "prism/ops/fill.hpp"
#include "prism/ops/pair_potential.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/propagation.hpp"
#include "prism/ops/tower.hpp"
#include "prism/ops/uniformity.hpp"
#include "prism/ops/unit_rows.hpp"
