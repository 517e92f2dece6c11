// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <functional>
#include <memory_resource>
#include <new>
#include <prism/core/random.hpp>
#include <prism/execution/host.hpp>
#include <prism/execution/serial_grid.hpp>
#include <prism/ops/without_negatives.hpp>
#include <prism/training/batch_builder.hpp>
#include <prism/training/device_batch_builder.hpp>
#include <vector>

#include "reversed_grid.hpp"
#include "support/ending_memory.hpp"

using namespace prism;

namespace {

std::vector<Index> list(std::span<const Index> values) { return {values.begin(), values.end()}; }

void check_equal(const BatchSide& side, const BatchSide& expected) {
  CHECK(list(side.unique_rows) == list(expected.unique_rows));
  CHECK(side.num_active == expected.num_active);
  CHECK(side.num_positive == expected.num_positive);
  CHECK(list(side.offsets) == list(expected.offsets));
  CHECK(list(side.occurrences) == list(expected.occurrences));
  CHECK(list(side.inverse_index) == list(expected.inverse_index));
}

void check_equal(const Batch& batch, const Batch& expected) {
  CHECK(list(batch.users) == list(expected.users));
  CHECK(list(batch.items) == list(expected.items));
  CHECK(list(batch.negatives) == list(expected.negatives));
  CHECK(batch.negatives_per_pair == expected.negatives_per_pair);
  CHECK(batch.shared_negatives == expected.shared_negatives);
  CHECK(batch.mask == expected.mask);
  CHECK(&batch.train == &expected.train);
  check_equal(batch.user_side, expected.user_side);
  check_equal(batch.item_side, expected.item_side);
}

std::vector<Index> random_rows(std::size_t count, Index rows, std::uint32_t draw) {
  const Random random(1, Stream::negatives, draw);
  std::vector<Index> drawn(count);
  for (std::size_t i = 0; i < count; ++i) drawn[i] = random.uniform_int(i, rows);
  return drawn;
}

std::vector<Interaction> random_pairs(std::size_t count, const Interactions& train,
                                      std::uint32_t draw) {
  const std::vector<Index> users = random_rows(count, train.users(), 2 * draw),
                           items = random_rows(count, train.items(), 2 * draw + 1);
  std::vector<Interaction> pairs(count);
  for (std::size_t p = 0; p < count; ++p) pairs[p] = {users[p], items[p]};
  return pairs;
}

/// Calls check(pairs, negatives, all_rows) for batches of every kind, one after the other.
template <class Check>
void for_each_batch(const Interactions& train, const Check& check) {
  std::uint32_t draw = 0;
  for (const std::size_t size :
       std::initializer_list<std::size_t>{5000, 1, 0, 2, 31, 4096, 700, 33, 5000}) {
    CAPTURE(size);
    for (const bool all_rows : {false, true, false}) {
      CAPTURE(all_rows);
      const std::vector<Interaction> pairs = random_pairs(size, train, ++draw);
      check(pairs, BatchNegatives(), all_rows);
      const std::vector<Index> own = random_rows(3 * size, train.items(), ++draw);
      check(pairs, BatchNegatives(own), all_rows);
      const std::vector<Index> shared = random_rows(57, train.items(), ++draw);
      check(pairs, BatchNegatives(shared, NegativeMask::seen_items), all_rows);
      check(pairs, BatchNegatives({}, NegativeMask::own_item), all_rows);
      // One row alone.
      const std::vector<Interaction> repeated(size, Interaction{3, 2});
      const std::vector<Index> same(2 * size, 2);
      check(repeated, BatchNegatives(same), all_rows);
    }
  }
}

}  // namespace

TEST_CASE("a batch lists its distinct rows and where they stand") {
  const Interactions train(10, 20, {});
  BatchBuilder builder(train);
  const std::vector<Interaction> pairs{{7, 3}, {2, 5}, {7, 5}};
  const std::vector<Index> negatives{5, 0, 3, 9, 9, 3};
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with buffers left from the first
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

TEST_CASE(
    "a batch that a device builds is the host's, number for number, in any order of its lanes") {
  // Rows that occur in most batches of a size, in some, and in none.
  for (const Index rows : std::initializer_list<Index>{7, 900, 20000}) {
    CAPTURE(rows);
    const Interactions train(rows, rows / 2 + 1, {});
    BatchBuilder host_builder(train);
    detail::DeviceBatchBuilder grid_builder(train, memory_of(serial_grid)),
        reversed_builder(train, memory_of(test::reversed_grid));
    for_each_batch(train, [&](const std::vector<Interaction>& pairs,
                              const BatchNegatives& negatives, bool all_rows) {
      const Batch expected = host_builder.build(serial, pairs, negatives, all_rows);
      check_equal(grid_builder.build(serial_grid, pairs, negatives, all_rows), expected);
      check_equal(reversed_builder.build(test::reversed_grid, pairs, negatives, all_rows),
                  expected);
    });
  }
}

TEST_CASE("a batch without its negatives is one that was built without, but for later rows") {
  const Interactions train(900, 451, {});
  BatchBuilder with(train), without(train);
  Scratch scratch;
  const auto check = [&](const Batch& batch, const Batch& whole, const Batch& expected) {
    CHECK(list(batch.users) == list(expected.users));
    CHECK(list(batch.items) == list(expected.items));
    CHECK(batch.negatives.empty());
    CHECK(batch.negatives_per_pair == 0);
    CHECK(batch.item_side.num_active == expected.item_side.num_active);
    CHECK(batch.item_side.num_positive == expected.item_side.num_positive);
    CHECK(list(batch.item_side.unique_rows) == list(whole.item_side.unique_rows));
    CHECK(list(batch.active_rows().item_side.unique_rows) == list(expected.item_side.unique_rows));
    CHECK(list(batch.item_side.occurrences) == list(expected.item_side.occurrences));
    // Rows of negatives have no occurrence.
    std::vector<Index> offsets = list(expected.item_side.offsets);
    offsets.resize(whole.item_side.offsets.size(), static_cast<Index>(batch.pairs()));
    CHECK(list(batch.item_side.offsets) == offsets);
  };
  for_each_batch(train, [&](const std::vector<Interaction>& pairs, const BatchNegatives& negatives,
                            bool all_rows) {
    scratch.reset();
    const Batch whole = with.build(serial, pairs, negatives, all_rows);
    const Batch expected = without.build(serial, pairs, {});
    if (negatives.items.empty()) {
      check_equal(detail::without_negatives(serial_grid, whole, scratch), whole);
      return;
    }
    check(detail::without_negatives(serial, whole, scratch), whole, expected);
    check(detail::without_negatives(serial_grid, whole, scratch), whole, expected);
    check(detail::without_negatives(test::reversed_grid, whole, scratch), whole, expected);
  });
}

TEST_CASE("where memory ends in a batch, the next one is what it is without") {
  const std::vector<Index> few{3, 1, 3}, more = random_rows(40, 50, 1);
  for (std::size_t allocations = 0; allocations < 12; ++allocations) {
    test::EndingMemory memory;
    memory.left = 2;  // what it is made with
    detail::SideBuilder builder(50, &memory), expected(50, std::pmr::new_delete_resource());
    memory.left = allocations;
    try {
      builder.begin();
      builder.add(more, std::identity());
      (void)builder.finish(true);
    } catch (const std::bad_alloc&) {
    }
    memory.left = 100;
    for (detail::SideBuilder* side : {&builder, &expected}) {
      side->begin();
      side->add(few, std::identity());
    }
    CAPTURE(allocations);
    CHECK(list(builder.row_of_occurrence()) == list(expected.row_of_occurrence()));
    check_equal(builder.finish(true), expected.finish(true));
  }
}
