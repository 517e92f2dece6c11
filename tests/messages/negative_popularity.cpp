// SPDX-License-Identifier: BSD-3-Clause
#include <prism/theory/magnitude.hpp>

constexpr double change = prism::expected_change(
    {.learning_rate = 0.1, .popularity = -1, .batches = {.pairs = 1000, .batch_size = 10}});
