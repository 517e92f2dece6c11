// SPDX-License-Identifier: BSD-3-Clause
// Which columns of an Arrow table are read, and as what: names, options, ratings, times.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/arrow_reading.hpp"
#include "prism/data/arrow.hpp"
#include "support/arrow_table.hpp"

using namespace prism;
using test::ArrowColumn, test::error_of, test::interactions_in, test::Pairs, test::pairs_of;

TEST_CASE("columns are found by name, in any order and case, among others") {
  const ArrowColumn user = test::texts("userId", {"u"}), item = test::texts("MOVIE-ID", {"i"});
  const ArrowColumn other = test::numbers<double>("weight", "g", {1});
  for (const std::vector<ArrowColumn>& columns :
       {std::vector{user, item}, {item, user}, {other, item, other, user}}) {
    CHECK(pairs_of(interactions_in(columns)) == Pairs{{"u", "i"}});
  }
}

TEST_CASE("columns without a known name are users and items, in this order") {
  const ArrowColumn a = test::texts("a", {"1"}), b = test::texts("b", {"2"}),
                    c = test::texts("", {"3"});
  CHECK(pairs_of(interactions_in({a, b, c})) == Pairs{{"1", "2"}});
  CHECK(pairs_of(interactions_in({a, b, c}, {.user = "b", .item = 0})) == Pairs{{"2", "1"}});
  CHECK(pairs_of(interactions_in({a, b, c}, {.user = 2, .item = "b"})) == Pairs{{"3", "2"}});
  // One of two columns is chosen by name, so the remaining one takes the other role.
  CHECK(pairs_of(interactions_in({test::texts("item", {"1"}), b})) == Pairs{{"2", "1"}});
  CHECK(pairs_of(interactions_in({a, test::texts("user", {"2"})})) == Pairs{{"2", "1"}});
}

TEST_CASE("what was found is said in one line, and what was left out is counted") {
  const std::vector<ArrowColumn> columns{
      test::numbers<double>("stars", "g", {5, 1, 4, 4, 5, 3, 2}),
      test::texts("userId", {"a", "b", "a", "c", "a", "d", "e"}),
      test::with_nulls(test::texts("", {"x", "x", "x", "y", "y", "z", "z"}), {1, 1, 1, 0, 1, 1, 1}),
      test::numbers<std::int64_t>("date", "tss:", {1, 2, 3, 4, 5, 6, 7})};
  const ArrowReadOptions options{.item = 2, .min_rating = 3, .nulls = ArrowNulls::drop};
  const Interactions data = interactions_in(columns, options);
  REQUIRE(data.read_summary() != nullptr);
  const ReadSummary& summary = *data.read_summary();
  CHECK_FALSE(summary.format.has_value());
  CHECK(summary.users == data.users());
  CHECK(summary.items == data.items());
  CHECK(summary.interactions == data.size());
  CHECK(summary.below_min_rating == 2);
  CHECK(summary.nulls == 1);
  CHECK(summary.repeated == 1);
  CHECK(describe(summary) ==
        "Arrow data: user in column 1 'userId', item in 2, rating in 0 'stars', time in 3 'date' "
        "(dates); 2 users, 3 items, 3 interactions; left out: 2 rated below 3, 1 with nulls, 1 "
        "repeated");

  const std::vector<ArrowColumn> plain{test::texts("a", {"1", "1"}), test::texts("b", {"2", "3"})};
  ArrowArrayStream stream = test::Stream::of({plain, plain});
  CHECK(describe(*read_arrow(&stream).read_summary()) ==
        "Arrow data: user in column 0 'a', item in 1 'b'; 1 user, 2 items, 2 interactions; left "
        "out: 2 repeated");
}

TEST_CASE("columns that may be another's are an error that names the option") {
  const ArrowColumn a = test::texts("a", {"1"}), b = test::texts("b", {"2"});
  const ArrowColumn user = test::texts("user", {"1"}), item = test::texts("item", {"2"});
  const ArrowColumn rating = test::numbers<double>("rating", "g", {5});
  CHECK(error_of({user, a, b}) ==
        "no column has a known name for an item (option item); the columns are: 'user', 'a', 'b'");
  CHECK(error_of({a, item, b}) ==
        "no column has a known name for a user (option user); the columns are: 'a', 'item', 'b'");
  CHECK(error_of({test::texts("timestamp", {"1"}), a, b}) ==
        "column 'timestamp' has no ids, judging by its name; use the options user and item to "
        "choose the columns of ids; "
        "the columns are: 'timestamp', 'a', 'b'");
  CHECK(error_of({a, rating, b}).starts_with("column 'rating' has no ids, judging by its name"));
  CHECK(error_of({item, rating}).starts_with("column 'rating' has no ids, judging by its name"));
  CHECK(
      error_of({user, item, user}) ==
      "columns 0 and 2 (from 0) both match, 'user' and 'user'; use the option user to choose one, "
      "by its number if the names are equal");
  CHECK(error_of({a, a}, {.user = "a", .item = 1}).starts_with("columns 0 and 1 (from 0) both"));
  CHECK(error_of({test::texts("uid", {"1"}), item, user}).starts_with("columns 0 and 2 (from 0)"));
  CHECK(pairs_of(interactions_in({user, item, test::texts("user_id", {"3"})})) ==
        Pairs{{"3", "2"}});  // the first of the known names
  CHECK(error_of({a, b}, {.user = "A", .item = 1}) ==
        "no column is named 'A' (option user); the columns are: 'a', 'b'");
  CHECK(pairs_of(interactions_in({user, item, user}, {.user = 2})) == Pairs{{"1", "2"}});
  CHECK_THROWS_AS((void)interactions_in({a, b}, {.user = 1, .item = "b"}), ArgumentError);
  CHECK_THROWS_WITH_AS((void)interactions_in({a, b}, {.user = 2}),
                       "user: must be a column from 0 to 1, not 2", ArgumentError);
  CHECK_THROWS_AS((void)interactions_in({a, b}, {.item = -1}), ArgumentError);
}

TEST_CASE("columns with known names that are not ids are not taken by position") {
  const auto column = [](const std::string& name) {
    return test::numbers<std::int64_t>(name, "l", {1});
  };
  const std::vector<ArrowColumn> sessions{column("session_id"), column("quantity"),
                                          column("member"), column("good")};
  CHECK(error_of(sessions) ==
        "column 'session_id' has no ids, judging by its name; use the options user and item to "
        "choose the columns of ids; the columns are: 'session_id', 'quantity', 'member', 'good'");
  CHECK(error_of({column("user_id"), column("quantity")})
            .starts_with("column 'quantity' has no ids, judging by its name; use the options"));
  CHECK(interactions_in(sessions, {.user = "member", .item = "good"}).size() == 1);
  CHECK(interactions_in(sessions, {.user = "session_id", .item = "quantity"}).size() == 1);
}

TEST_CASE("rows rated lower than min_rating are left out, with ratings of every type") {
  const ArrowColumn user = test::texts("user", {"1", "2", "3"}),
                    item = test::texts("item", {"x", "y", "z"});
  const auto rated = [&](const ArrowColumn& rating) {
    CAPTURE(rating.format);
    CHECK(pairs_of(interactions_in({user, item, rating}, {.min_rating = 4})) ==
          Pairs{{"2", "y"}, {"3", "z"}});
    CHECK(interactions_in({user, item, rating}).size() == 3);
  };
  rated(test::numbers<std::int8_t>("rating", "c", {3, 4, 5}));
  rated(test::numbers<std::uint8_t>("rating", "C", {3, 4, 255}));
  rated(test::numbers<std::int16_t>("rating", "s", {-3, 4, 5}));
  rated(test::numbers<std::uint64_t>("rating", "L", {3, 4, 0xFFFF'FFFF'FFFF'FFFF}));
  rated(test::numbers<std::int64_t>("rating", "l", {-9, 4, 5}));
  rated(test::numbers<float>("rating", "f", {3.9f, 4, 4.5f}));
  rated(test::numbers<double>("Rating", "g", {3.9, 4, 4.5}));
  const ArrowColumn grade = test::numbers<float>("grade", "f", {3, 4, 5});
  CHECK(interactions_in({user, item, grade}, {.rating = "grade", .min_rating = 5}).size() == 1);
  CHECK(error_of({user, item, grade}, {.min_rating = 5}) ==
        "min_rating is set, but no column has a known name for a rating (option rating); the "
        "columns are: "
        "'user', 'item', 'grade'");
  CHECK(error_of({user, item, grade}, {.rating = 2, .min_rating = 6}) ==
        "has no interaction rated 6 or higher in column 'grade' (format 'f')");
  CHECK_THROWS_AS((void)interactions_in({user, item}, {.rating = 1, .min_rating = 5}),
                  ArgumentError);
  CHECK_THROWS_AS(
      (void)interactions_in({user, item, grade}, {.rating = 2, .min_rating = 0.0 / 0.0}),
      ArgumentError);
}

TEST_CASE("a null rating is as any null, and one that is no finite number is an error") {
  const ArrowColumn user = test::texts("user", {"1", ""}), item = test::texts("item", {"x", "y"});
  const ArrowColumn rating = test::numbers<double>("rating", "g", {5, 5});
  CHECK(error_of({user, item, test::with_nulls(rating, {1, 0})}, {.min_rating = 4}) ==
        "column 'rating' (format 'g'), row 1 (from 0): is null; fill or drop nulls, or pass "
        "ArrowNulls::drop");
  CHECK(interactions_in({user, item, test::with_nulls(rating, {1, 0})},
                        {.min_rating = 4, .nulls = ArrowNulls::drop})
            .size() == 1);
  for (const double number : {0.0 / 0.0, 1.0 / 0.0, -1.0 / 0.0}) {
    CHECK(error_of({user, item, test::numbers<double>("rating", "g", {5, number})},
                   {.min_rating = 4, .nulls = ArrowNulls::drop}) ==
          "column 'rating' (format 'g'), row 1 (from 0): is not a finite number");
  }
  // A row that is left out for its rating may hold anything.
  CHECK(interactions_in(
            {test::with_nulls(user, {1, 0}), item, test::numbers<double>("rating", "g", {5, 1})},
            {.min_rating = 4})
            .size() == 1);
}

TEST_CASE("times of every type are read, timestamps and dates in seconds") {
  const ArrowColumn user = test::texts("user", {"1", "1"}), item = test::texts("item", {"x", "x"});
  const auto time = [&](const ArrowColumn& times, const ArrowReadOptions& options = {}) {
    const Interactions interactions = interactions_in({user, item, times}, options);
    REQUIRE(interactions.size() == 1);
    return interactions.times().empty() ? -1 : interactions.times()[0];
  };
  CHECK(time(test::numbers<std::int32_t>("timestamp", "i", {9, 8})) == 8);
  CHECK(time(test::numbers<double>("time", "g", {9.5, 8.5})) == 8.5);
  CHECK(time(test::numbers<std::int64_t>("when", "tss:UTC", {9, 8}), {.time = "when"}) == 8);
  CHECK(time(test::numbers<std::int64_t>("time", "tsm:", {9000, 8500})) == 8.5);
  CHECK(time(test::numbers<std::int64_t>("time", "tsu:", {9'000'000, 8'500'000})) == 8.5);
  CHECK(time(test::numbers<std::int64_t>("time", "tsn:", {9'000'000'000, 8'500'000'000})) == 8.5);
  CHECK(time(test::numbers<std::int32_t>("time", "tdD", {2, 3})) == 2 * 86'400);
  CHECK(time(test::numbers<std::int64_t>("time", "tdm", {9000, 8500})) == 8.5);
  CHECK(time(test::texts("time", {"a", "b"}), {.time = no_column}) == -1);
  CHECK(time(test::numbers<std::int32_t>("when", "i", {9, 8})) == -1);
  CHECK(error_of({user, item, test::texts("time", {"a", "b"})}) ==
        "column 'time' (format 'u') cannot be read as a time, which must be a number, a timestamp "
        "or a "
        "date: cast it to one, or pass no_column");
  CHECK(error_of({user, item, test::numbers<double>("time", "g", {1, 0.0 / 0.0})}) ==
        "column 'time' (format 'g'), row 1 (from 0): is not a finite number");
  const ArrowColumn some = test::with_nulls(test::numbers<double>("time", "g", {1, 2}), {0, 1});
  CHECK(error_of({user, item, some}).starts_with("column 'time' (format 'g'), row 0"));
  CHECK(time(some, {.nulls = ArrowNulls::drop}) == 2);
}

TEST_CASE("of several columns with known names for times the first in the list is read") {
  const ArrowColumn user = test::texts("user", {"1"}), item = test::texts("item", {"x"});
  const auto column = [](const std::string& name, int time) {
    return test::numbers<std::int32_t>(name, "i", {time});
  };
  const auto time = [&](const std::vector<ArrowColumn>& columns,
                        const ArrowReadOptions& options = {}) {
    const Interactions interactions = interactions_in(columns, options);
    REQUIRE(interactions.times().size() == 1);
    return interactions.times()[0];
  };
  const std::vector<ArrowColumn> three{user, item, column("created_at", 1), column("date", 2),
                                       column("Unix_Time", 3)};
  CHECK(time(three) == 3);
  CHECK(time(three, {.time = "date"}) == 2);
  CHECK(time({column("date", 1), user, item, column("timestamp", 2)}) == 2);
  CHECK(time({user, item, column("ts", 1), column("TS", 2)}) == 1);
  // A column that is read as something else is none of them.
  CHECK(time({user, column("time", 1), column("date", 2)}, {.item = "time"}) == 2);
}

TEST_CASE("rows in the order of time have their positions as times, over all batches") {
  const std::vector<ArrowColumn> first{test::texts("user", {"a", "b", "a"}),
                                       test::texts("item", {"x", "x", "y"}),
                                       test::numbers<std::int32_t>("timestamp", "i", {9, 8, 7})};
  const std::vector<ArrowColumn> second{test::texts("user", {"b", "a"}),
                                        test::texts("item", {"y", "x"}),
                                        test::numbers<std::int32_t>("timestamp", "i", {6, 5})};
  ArrowArrayStream stream = test::Stream::of({first, second});
  const Interactions data = read_arrow(&stream, {.time = file_order});
  REQUIRE(data.size() == 4);  // by user, a user's by item
  CHECK(data.times()[0] == 0);
  CHECK(data.times()[1] == 2);
  CHECK(data.times()[2] == 1);
  CHECK(data.times()[3] == 3);
  CHECK(data.read_summary()->order_as_time);
}
