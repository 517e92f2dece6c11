// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <prism/execution/host.hpp>
#include <prism/training/batch_builder.hpp>
#include <vector>

using namespace prism;

namespace {

std::vector<Index> list(std::span<const Index> values) { return {values.begin(), values.end()}; }

}  // namespace

TEST_CASE("a batch lists its distinct rows and where they stand") {
  const Interactions train(10, 20, {});
  BatchBuilder builder(train);
  const std::vector<Interaction> pairs{{7, 3}, {2, 5}, {7, 5}};
  const std::vector<Index> negatives{5, 0, 3, 9, 9, 3};
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time over the first's leavings
    const Batch batch = builder.build(par, pairs, negatives);
    CHECK(batch.pairs() == 3);
    CHECK(batch.negatives_per_pair == 2);
    CHECK(list(batch.user_side.unique_rows) == std::vector<Index>{7, 2});
    CHECK(list(batch.users) == std::vector<Index>{0, 1, 0});
    CHECK(list(batch.user_side.occurrence_positions(0)) == std::vector<Index>{0, 2});
    CHECK(list(batch.user_side.occurrence_positions(1)) == std::vector<Index>{1});
    CHECK(list(batch.item_side.unique_rows) == std::vector<Index>{3, 5, 0, 9});
    CHECK(list(batch.items) == std::vector<Index>{0, 1, 1});
    CHECK(list(batch.negatives) == std::vector<Index>{1, 2, 0, 3, 3, 0});
    CHECK(list(batch.item_side.occurrence_positions(0)) == std::vector<Index>{0, 5, 8});
    CHECK(list(batch.item_side.occurrence_positions(1)) == std::vector<Index>{1, 2, 3});
    CHECK(batch.pair_of_item_occurrence(2) == 2);
    CHECK(batch.pair_of_item_occurrence(5) == 1);
    CHECK(batch.pair_of_item_occurrence(8) == 2);
    CHECK(batch.item_side.inverse_index[9] == 3);
    CHECK(batch.item_side.inverse_index[1] == absent);
  }
  const Batch other = builder.build(par, std::span(pairs).first(1), {});
  CHECK(other.negatives_per_pair == 0);
  CHECK(list(other.item_side.unique_rows) == std::vector<Index>{3});
  CHECK(other.item_side.inverse_index[5] == absent);
}

TEST_CASE("a batch that lists every row begins with its own") {
  const Interactions train(3, 4, {});
  BatchBuilder builder(train);
  const std::vector<Interaction> pairs{{2, 3}, {2, 1}};
  const Batch batch = builder.build(par, pairs, {}, true);
  CHECK(list(batch.user_side.unique_rows) == std::vector<Index>{2, 0, 1});
  CHECK(batch.user_side.num_active == 1);
  CHECK(list(batch.item_side.unique_rows) == std::vector<Index>{3, 1, 0, 2});
  CHECK(batch.item_side.num_active == 2);
  CHECK(batch.item_side.inverse_index[0] == 2);
  CHECK(batch.item_side.occurrence_positions(2).empty());
  CHECK(list(batch.active_rows().item_side.unique_rows) == std::vector<Index>{3, 1});
  const auto gradient = TableGradient<float>::sparse({}, batch.item_side);
  CHECK(gradient.in_batch(1));
  CHECK_FALSE(gradient.in_batch(0));
}
