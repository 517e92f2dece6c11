// SPDX-License-Identifier: BSD-3-Clause
// Interactions from Arrow tables: every type, slices, nulls, batches.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "data/arrow_reading.hpp"
#include "prism/data/arrow.hpp"
#include "support/arrow_table.hpp"

using namespace prism;
using test::ArrowColumn, test::error_of, test::interactions_in, test::Pairs, test::pairs_of;
using test::users_of;

namespace {

/// Users of a column beside items of 0, 1, ...
std::vector<ArrowColumn> beside_items(ArrowColumn users) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(users.length));
  for (std::size_t k = 0; k < items.size(); ++k) items[k] = static_cast<std::int64_t>(k);
  users.name = "user";
  return {std::move(users), test::numbers("item", "l", items)};
}

template <class T>
void check_digits(const char* format) {
  CAPTURE(format);
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values{7, Limits::max(), Limits::min(), 7};
  const Interactions read_back = interactions_in(beside_items(test::numbers("", format, values)));
  std::vector<std::string> digits{"7", std::to_string(Limits::max()),
                                  std::to_string(Limits::min())};
  CHECK(users_of(read_back) == digits);
  CHECK(read_back.items_of(0).size() == 2);
}

}  // namespace

TEST_CASE("integers of every width and sign become their digits") {
  check_digits<std::int8_t>("c");
  check_digits<std::uint8_t>("C");
  check_digits<std::int16_t>("s");
  check_digits<std::uint16_t>("S");
  check_digits<std::int32_t>("i");
  check_digits<std::uint32_t>("I");
  check_digits<std::int64_t>("l");
  check_digits<std::uint64_t>("L");
}

TEST_CASE("integers are told apart however large they are, in every batch") {
  const std::vector<std::int64_t> values{0, 4'194'303, 4'194'304, 4'194'305, -1, 0, 4'194'304, -1};
  const std::vector<ArrowColumn> batch = beside_items(test::numbers("", "l", values));
  ArrowArrayStream stream = test::Stream::of({batch, batch});
  const Interactions interactions = read_arrow(&stream);
  CHECK(users_of(interactions) ==
        std::vector<std::string>{"0", "4194303", "4194304", "4194305", "-1"});
  CHECK(interactions.size() == 8);
}

TEST_CASE("strings of every type become ids, byte by byte") {
  const std::vector<std::string> names{"ann",
                                       std::string("a\0b", 3),
                                       "\xC5\xBB\xC3\xB3\xC5\x82\xC4\x87",
                                       "of 12 bytes.",
                                       "of 13 bytes..",
                                       std::string(1000, 'x'),
                                       "of 13 bytes.!",
                                       " "};
  for (const ArrowColumn& column :
       {test::texts<std::int32_t>("", names, "u"), test::texts<std::int64_t>("", names, "U"),
        test::texts<std::int32_t>("", names, "z"), test::texts<std::int64_t>("", names, "Z"),
        test::views("", names, "vu"), test::views("", names, "vz")}) {
    CAPTURE(column.format);
    CHECK(users_of(interactions_in(beside_items(column))) == names);
  }
}

TEST_CASE("a dictionary's words become ids as they are met, with indices of every width") {
  const ArrowColumn words = test::texts("", {"never", "ann", "bob"});
  const auto check = [&](const ArrowColumn& column) {
    CAPTURE(column.format);
    CHECK(users_of(interactions_in(beside_items(column))) ==
          std::vector<std::string>{"bob", "ann"});
  };
  check(test::dictionary<std::int8_t>("c", {2, 1, 2, 1}, words));
  check(test::dictionary<std::uint8_t>("C", {2, 1, 2}, words));
  check(test::dictionary<std::int16_t>("s", {2, 1, 2}, words));
  check(test::dictionary<std::uint16_t>("S", {2, 1, 2}, words));
  check(test::dictionary<std::int32_t>("i", {2, 1, 2}, words));
  check(test::dictionary<std::uint32_t>("I", {2, 1, 2}, words));
  check(test::dictionary<std::int64_t>("l", {2, 1}, words));  // longer than the batch
  check(test::dictionary<std::uint64_t>("L", {2, 1, 2}, words));
  check(test::dictionary<std::int8_t>("c", {2, 1, 2}, test::views("", {"never", "ann", "bob"})));
  const ArrowColumn numbers = test::numbers<std::int16_t>("", "s", {-5, 40});
  CHECK(users_of(interactions_in(beside_items(test::dictionary<std::int8_t>(
            "c", {1, 0}, numbers)))) == std::vector<std::string>{"40", "-5"});
  ArrowColumn sliced = words;  // the dictionary has an offset of its own
  sliced.offset = 1;
  sliced.length = 2;
  CHECK(users_of(interactions_in(beside_items(test::dictionary<std::int8_t>(
            "c", {1, 0}, sliced)))) == std::vector<std::string>{"bob", "ann"});
}

TEST_CASE("ids stay when the data they came from are released") {
  const Interactions interactions =
      interactions_in({test::texts("user", {"ann"}), test::views("item", {"x"})});
  CHECK(pairs_of(interactions) == Pairs{{"ann", "x"}});
}

TEST_CASE("numbers need not be aligned") {
  ArrowColumn column = test::numbers<std::int64_t>("", "l", {11, 12});
  column.buffers[1] = "x" + *column.buffers[1];
  std::vector<ArrowColumn> columns = beside_items(column);
  ArrowSchema schema = test::schema_of(columns);
  ArrowArray array = test::array_of(columns);
  array.children[0]->buffers[1] = static_cast<const char*>(array.children[0]->buffers[1]) + 1;
  CHECK(users_of(read_arrow(&schema, &array)) == std::vector<std::string>{"11", "12"});
}

TEST_CASE("the offsets of a column, its bits and the batch around it are kept to") {
  // Rows 9 and 10 of the column, the latter null: an offset of 7 in the column, 2 in the batch.
  std::vector<std::int32_t> values(12);
  for (int k = 0; k < 12; ++k) values[static_cast<std::size_t>(k)] = 100 + k;
  std::vector<std::string> names;
  for (const int value : values) names.push_back("n" + std::to_string(value));
  const std::vector<int> valid{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};
  const ArrowColumn items = test::numbers<std::int64_t>("item", "l", {1, 2, 3, 4});
  for (ArrowColumn column :
       {test::numbers("user", "i", values), test::texts("user", names),
        test::texts<std::int64_t>("user", names), test::views("user", names)}) {
    CAPTURE(column.format);
    column = test::with_nulls(column, valid);
    column.offset = 7;
    column.length = 5;
    const Interactions interactions =
        interactions_in({column, items}, {.nulls = ArrowNulls::drop}, {.length = 2, .offset = 2});
    CHECK(pairs_of(interactions) == Pairs{{column.format == "i" ? "109" : "n109", "3"}});
  }
}

TEST_CASE("the batches of a stream add up, each with a dictionary of its own") {
  const auto batch = [](const std::vector<std::int8_t>& users,
                        const std::vector<std::string>& words,
                        const std::vector<std::string>& items) {
    return std::vector{test::dictionary("c", users, test::texts("user", words)),
                       test::texts("item", items)};
  };
  ArrowArrayStream stream = test::Stream::of({
      batch({0, 1}, {"ann", "bob"}, {"x", "y"}),
      batch({}, {}, {}),
      batch({1, 0, 1}, {"bob", "cid"}, {"x", "z", "y"}),
  });
  const Interactions interactions = read_arrow(&stream);
  CHECK(test::live == 0);
  CHECK_FALSE(static_cast<bool>(stream.release));
  CHECK(pairs_of(interactions) ==
        Pairs{{"ann", "x"}, {"bob", "y"}, {"bob", "z"}, {"cid", "x"}, {"cid", "y"}});
}

TEST_CASE("a dictionary at the address of another that was released is told apart") {
  std::vector<std::vector<ArrowColumn>> batches;
  std::vector<std::string> wanted;
  for (int k = 0; k < 5; ++k) {
    wanted.push_back("word " + std::to_string(10 + k));
    // No two buffers of a batch have the same size.
    batches.push_back(
        {test::dictionary<std::int8_t>("c", {0}, test::texts("user", {wanted.back()})),
         test::texts<std::int64_t>("item", {"some item"})});
  }
  ArrowArrayStream stream = test::Stream::of(batches);
  test::reuses_memory = true;
  CHECK(users_of(read_arrow(&stream)) == wanted);
  test::reuses_memory = false;
  CHECK_FALSE(test::unused_memory.empty());
  test::unused_memory.clear();
  CHECK(test::live == 0);
}

TEST_CASE("a null is an error that names column and row, in the whole stream") {
  const ArrowColumn user = test::numbers<std::int32_t>("user", "i", {1, 2, 3});
  const ArrowColumn item = test::texts("item", {"x", "y", "z"});
  const std::string advice = "is null; fill or drop nulls, or pass ArrowNulls::drop";
  CHECK(error_of({test::with_nulls(user, {1, 0, 1}), item}) ==
        "column 'user' (format 'i'), row 1 (from 0): " + advice);
  CHECK(error_of({user, test::with_nulls(item, {1, 1, 0})}) ==
        "column 'item' (format 'u'), row 2 (from 0): " + advice);
  ArrowArrayStream stream =
      test::Stream::of({{user, item}, {user, test::with_nulls(item, {1, 0, 1})}});
  CHECK_THROWS_WITH_AS(
      (void)read_arrow(&stream),
      ("Arrow data: column 'item' (format 'u'), row 4 (from 0): " + advice).c_str(), DataError);
  CHECK(test::live == 0);
  const ArrowColumn words = test::with_nulls(test::texts("user", {"ann", ""}), {1, 0});
  CHECK(error_of(beside_items(test::dictionary<std::int8_t>("c", {0, 1}, words))) ==
        "column 'user' (format 'c'), row 1 (from 0): " + advice);
}

TEST_CASE("rows with nulls are dropped on request, and their ids with them") {
  const ArrowColumn user = test::numbers<std::int32_t>("user", "i", {1, 2, 3, 4});
  const ArrowColumn item = test::texts("item", {"x", "y", "z", "x"});
  const ArrowReadOptions drop{.nulls = ArrowNulls::drop};
  CHECK(pairs_of(interactions_in(
            {test::with_nulls(user, {1, 0, 1, 1}), test::with_nulls(item, {1, 1, 0, 1})}, drop)) ==
        Pairs{{"1", "x"}, {"4", "x"}});
  CHECK(interactions_in({test::with_nulls(user, {1, 0, 1, 1}), item}, drop).users() == 3);
  CHECK(interactions_in({user, test::with_nulls(item, {1, 0, 0, 1})}, drop).users() ==
        2);  // not 2 and 3
  const ArrowColumn words = test::with_nulls(test::texts("user", {"", "ann"}), {0, 1});
  CHECK(pairs_of(interactions_in(beside_items(test::dictionary<std::int8_t>("c", {0, 1, 0}, words)),
                                 drop)) == Pairs{{"ann", "1"}});
  // The index in a null entry is ignored.
  const ArrowColumn indices = test::dictionary<std::int8_t>("c", {99, 1}, words);
  CHECK(interactions_in(beside_items(test::with_nulls(indices, {0, 1})), drop).size() == 1);
  CHECK(error_of({test::with_nulls(user, {0, 0, 0, 0}), item}, drop) == "has no interactions");
}

TEST_CASE("a batch whose rows are null as a whole is treated as its columns") {
  const std::vector<ArrowColumn> columns{test::texts("user", {"1", "2"}),
                                         test::texts("item", {"1", "2"})};
  const ArrowColumn batch{.buffers = {test::bits_of({0, 1})}, .null_count = 1};
  CHECK(pairs_of(interactions_in(columns, {.nulls = ArrowNulls::drop}, batch)) ==
        Pairs{{"2", "2"}});
  CHECK_THROWS_AS((void)interactions_in(columns, {}, batch), DataError);
}

TEST_CASE("a bitmap counts only where nulls are said to be") {
  ArrowColumn user = test::with_nulls(test::numbers<std::int32_t>("user", "i", {1, 2}), {0, 0});
  user.null_count = 0;
  CHECK(interactions_in({user, test::texts("item", {"x", "y"})}).size() == 2);
}

TEST_CASE("a table without interactions is an error") {
  CHECK(error_of({test::texts("user", {}), test::texts("item", {})}) == "has no interactions");
  ArrowArrayStream none = test::Stream::of({{test::texts("user", {}), test::texts("item", {})}});
  CHECK_THROWS_AS((void)read_arrow(&none), DataError);
}

TEST_CASE("an empty string is no id") {
  CHECK(error_of({test::texts("user", {"1", ""}), test::texts("item", {"1", "2"})}) ==
        "column 'user' (format 'u'), row 1 (from 0): is an empty string, which is not a valid id");
  const ArrowColumn words = test::texts("user", {"ann", ""});
  CHECK(error_of(beside_items(test::dictionary<std::int8_t>("c", {0, 0, 1}, words))) ==
        "column 'user' (format 'c'), row 2 (from 0): is an empty string, which is not a valid id");
}
