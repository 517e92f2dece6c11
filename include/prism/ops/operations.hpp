// SPDX-License-Identifier: BSD-3-Clause
// The expensive operations, which losses, backbones and penalties call instead of their own loops.
// The first argument is the execution, or a step that contains one; the others are views of rows.
// Most are loops over rows, which run anywhere; operations that a device performs differently, such
// as matrix products, have overloads in device/.
//
//   pair_scores.hpp     loss_over_scores         scores of pairs, and the gradient of their rows
//                       for_each_score_gradient  the same; callbacks receive the gradient
//   shared_scores.hpp   the same for negatives that all pairs share
//   seen_negatives.hpp  SeenNegatives            which of them each user has seen
//   scores.hpp          PairScores               a pair's scores, as a loss sees them
//   batch_on_host.hpp   BatchOnHost              a batch as the host reads it
//   unit_rows.hpp       normalise_rows           unit rows
//                       loss_over_cosines        scores of unit rows, and the gradient
//                       accumulate_unit_gradient the gradient through the normalisation
//   pair_potential.hpp  pair_potential           the Gaussian potential of all pairs of rows
//   pair_tiles.hpp      PairTiles                the blocks of all pairs of rows
//   shared_products.hpp SharedProducts           the blocks of scores of shared negatives
//   split_*.hpp                                  the same blocks on a processor's tile unit
//   uniformity.hpp      uniformity               the logarithm of its mean
//   layer.hpp           LayerView                a dense layer's weights
//   tower.hpp           tower_forward, _backward dense layers
//   propagation.hpp     mean_of_layers           products with the graph's adjacency matrix
//   ordered_sums.hpp    sum_rows                 the weighted sum of all rows
//                       sum_over_elements        a sum of numbers
//                       sum_over_occurrences     a sum for each row
//   fill.hpp            fill_uniform             random initial values
//   numbers.hpp         all_finite, copy_numbers whole lists of numbers
//
// Two operations are outside this folder: rank_items of evaluate/ranking.hpp (scores of all items,
// top k) and the optimizer steps.
#pragma once

#include "prism/ops/fill.hpp"
#include "prism/ops/numbers.hpp"
#include "prism/ops/ordered_sums.hpp"
#include "prism/ops/pair_potential.hpp"
#include "prism/ops/pair_scores.hpp"
#include "prism/ops/propagation.hpp"
#include "prism/ops/shared_scores.hpp"
#include "prism/ops/tower.hpp"
#include "prism/ops/uniformity.hpp"
#include "prism/ops/unit_rows.hpp"
