// SPDX-License-Identifier: BSD-3-Clause
// Arrow data that cannot be read gives typed errors, and everything is still released exactly once.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "prism/data/arrow.hpp"
#include "support/arrow_table.hpp"

using namespace prism;
using test::ArrowColumn;

namespace {

const ArrowColumn user_column = test::numbers<std::int32_t>("user", "i", {1, 2, 3});
const ArrowColumn item_column = test::texts("item", {"x", "y", "z"});

using Change = std::function<void(ArrowSchema&, ArrowArray&)>;

/// The error message from reading a table in which something was changed.
std::string refusal_of(const std::vector<ArrowColumn>& columns, const Change& change = nullptr,
                       const ArrowReadOptions& options = {}) {
  ArrowSchema schema = test::schema_of(columns);
  ArrowArray array = test::array_of(columns);
  const int before = test::live;
  CHECK(before > 0);
  if (change) change(schema, array);
  std::string message = "no error";
  try {
    (void)read_arrow(&schema, &array, options);
  } catch (const DataError& error) {
    message = std::string(error.what()).substr(error.file().size() + 2);
  }
  CHECK_FALSE(static_cast<bool>(schema.release));
  CHECK_FALSE(static_cast<bool>(array.release));
  CHECK(test::live == 0);
  return message;
}

/// With a change in the users' array.
std::string array_error(const ArrowColumn& column,
                        const std::function<void(ArrowArray&)>& change = nullptr) {
  return refusal_of({column, item_column}, [&](ArrowSchema&, ArrowArray& array) {
    if (change) change(*array.children[0]);
  });
}

/// A column of texts at these offsets, beside three items.
template <class Offset>
ArrowColumn between(const std::vector<Offset>& offsets) {
  ArrowColumn column = test::texts<Offset>("user", {"a", "b", "c"});
  column.buffers[1] = test::bytes_of(offsets);
  return column;
}

/// Three views, the second of which is given.
ArrowColumn view(std::int32_t length, std::int32_t buffer, std::int32_t from) {
  ArrowColumn column = test::views("user", {"first", "a text of 20 bytes..", "third"});
  column.buffers[1]->replace(16, 16, test::bytes_of<std::int32_t>({length, 0, buffer, from}));
  return column;
}

}  // namespace

TEST_CASE("a type that is no id's is an error that names column, format and what would be right") {
  for (const std::string format :
       {"f",   "g",  "e",  "b",    "n",  "d:10,2", "w:16",    "tdD", "tss:", "tts", "tDs",
        "tiM", "+l", "+s", "+w:3", "+r", "+vl",    "+us:0,1", "x",   "",     "uu",  "\x1B[2J"}) {
    CAPTURE(format);
    ArrowColumn column = user_column;
    column.format = format;
    const std::string shown = format == "\x1B[2J" ? "?[2J" : format;
    CHECK(refusal_of({column, item_column}) == "column 'user' (format '" + shown +
                                                   "') has no ids; ids must be integers, strings "
                                                   "or a dictionary of them: cast the column");
  }
  CHECK(
      refusal_of({test::dictionary<std::int8_t>("c", {0}, test::numbers<double>("user", "g", {1})),
                  item_column}) ==
      "column 'user' (format 'c') has a dictionary of format 'g', which has no ids; ids must be "
      "integers, "
      "strings or a dictionary of them: cast the column");
  CHECK(refusal_of({test::dictionary<float>("f", {0}, test::texts("user", {"a"})), item_column}) ==
        "column 'user' (format 'f') has a dictionary, but its indices are not integers");
  const ArrowColumn words = test::dictionary<std::int8_t>("c", {0}, test::texts("user", {"a"}));
  CHECK(refusal_of({test::dictionary<std::int8_t>("c", {0}, words), item_column})
            .find("has a dictionary of format 'c', which has no ids") != std::string::npos);
}

TEST_CASE("a type that is no rating's is an error that says what is") {
  for (const std::string format : {"u", "b", "e", "tss:", "tdD", "d:3,1"}) {
    ArrowColumn rating = test::numbers<double>("rating", format, {1, 2, 3});
    CHECK(refusal_of({user_column, item_column, rating}, nullptr, {.min_rating = 3}) ==
          "column 'rating' (format '" + format +
              "') cannot be read as a rating, which must be an integer or a float: cast it to "
              "float64");
    CHECK(refusal_of({user_column, item_column, rating}) == "no error");
  }
  const ArrowColumn rating =
      test::dictionary<std::int8_t>("c", {0, 0, 0}, test::numbers<double>("rating", "g", {5}));
  CHECK(refusal_of({user_column, item_column, rating}, nullptr, {.min_rating = 3})
            .starts_with("column 'rating' (format 'c') has a dictionary, and cannot be read as a "
                         "rating"));
}

TEST_CASE("a schema that is not one of a table is an error") {
  const std::vector<ArrowColumn> table{user_column, item_column};
  const auto schema_error = [&](const std::function<void(ArrowSchema&)>& change) {
    return refusal_of(table, [&](ArrowSchema& schema, ArrowArray&) { change(schema); });
  };
  CHECK(schema_error([](ArrowSchema& s) { s.format = "i"; }).starts_with("has the format 'i'; "));
  CHECK(schema_error([](ArrowSchema& s) { s.format = nullptr; }).starts_with("has the format ''"));
  for (const std::int64_t count : {std::int64_t{1}, std::int64_t{0}, std::int64_t{-1},
                                   std::numeric_limits<std::int64_t>::min()}) {
    CHECK(schema_error([&](ArrowSchema& s) {
            s.n_children = count;
          }).starts_with("has " + std::to_string(count) + " columns; "));
  }
  CHECK(schema_error([](ArrowSchema& s) { s.children = nullptr; }).starts_with("has 2 columns; "));
  const std::string no_description = "has no schema of column 1 (from 0)";
  CHECK(schema_error([](ArrowSchema& s) { s.children[1]->format = nullptr; }) == no_description);
  CHECK(schema_error([](ArrowSchema& s) { s.children[1]->release(s.children[1]); }) ==
        no_description);
  CHECK(schema_error([](ArrowSchema& s) { s.children[1]->name = nullptr; }) == "no error");
}

TEST_CASE("a batch that its schema does not describe is an error") {
  const std::vector<ArrowColumn> table{user_column, item_column};
  const auto batch_error = [&](const std::function<void(ArrowArray&)>& change) {
    return refusal_of(table, [&](ArrowSchema&, ArrowArray& array) { change(array); });
  };
  const std::string columns = " columns, but its schema has 2";
  CHECK(batch_error([](ArrowArray& a) { a.n_children = 3; }) == "a record batch has 3" + columns);
  CHECK(batch_error([](ArrowArray& a) { a.n_children = -1; }) == "a record batch has -1" + columns);
  CHECK(batch_error([](ArrowArray& a) { a.children = nullptr; }) ==
        "a record batch has 2" + columns);
  CHECK(batch_error([](ArrowArray& a) { a.children[1]->release(a.children[1]); }) ==
        "column 'item' (format 'u') has an array that was released");
  CHECK(batch_error([](ArrowArray& a) { a.length = 4; }) ==
        "column 'user' (format 'i') has 3 values, but the batch needs 0 + 4");
  CHECK(batch_error([](ArrowArray& a) { a.offset = 1; }) ==
        "column 'user' (format 'i') has 3 values, but the batch needs 1 + 3");
  CHECK(batch_error([](ArrowArray& a) {
          a.length = -1;
        }).starts_with("the record batch has an array of length -1"));
  CHECK(batch_error([](ArrowArray& a) {
          a.offset = std::numeric_limits<std::int64_t>::max();
        }).starts_with("the record batch has an array of length 3 and offset 9223"));
  CHECK(batch_error([](ArrowArray& a) { a.n_buffers = 0; }) == "the record batch has no buffers");
  CHECK(batch_error([](ArrowArray& a) { a.null_count = 2; }) ==
        "the record batch has 2 nulls, but no validity bitmap");
  CHECK(batch_error([](ArrowArray& a) {
          a.null_count = 4;
        }).starts_with("the record batch has 4 nulls among 3 values"));
  CHECK(batch_error([](ArrowArray& a) { a.null_count = -1; }) == "no error");
}

TEST_CASE("a column that cannot be of its type and length is an error") {
  const std::string user = "column 'user' (format 'i')";
  const auto max = std::numeric_limits<std::int64_t>::max();
  CHECK(array_error(user_column, [](ArrowArray& a) { a.length = 2; }) ==
        user + " has 2 values, but the batch needs 0 + 3");
  CHECK(array_error(user_column, [](ArrowArray& a) {
          a.length = -3;
        }).starts_with(user + " has an array of length -3 and offset 0"));
  CHECK(array_error(user_column, [](ArrowArray& a) {
          a.offset = -1;
        }).starts_with(user + " has an array of length 3 and offset -1"));
  CHECK(array_error(user_column, [&](ArrowArray& a) {
          a.offset = max;
        }).starts_with(user + " has an array of length 3 and offset 9223"));
  CHECK(array_error(user_column, [&](ArrowArray& a) {
          a.length = max;
        }).starts_with(user + " has an array of length 9223"));
  CHECK(array_error(user_column, [](ArrowArray& a) { a.n_buffers = 3; }) ==
        user + " has 3 buffers, not 2");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.n_buffers = 1; }) ==
        user + " has 1 buffers, not 2");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.n_buffers = -1; }) ==
        user + " has no buffers");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.buffers = nullptr; }) ==
        user + " has no buffers");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.buffers[1] = nullptr; }) ==
        user + " has no buffer of values");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.null_count = 1; }) ==
        user + " has 1 nulls, but no validity bitmap");
  CHECK(array_error(user_column, [](ArrowArray& a) {
          a.null_count = -2;
        }).starts_with(user + " has -2 nulls"));
  CHECK(array_error(test::texts("user", {"a", "b", "c"}), [](ArrowArray& a) { a.n_buffers = 2; }) ==
        "column 'user' (format 'u') has 2 buffers, not 3");
  CHECK(array_error(test::views("user", {"a", "b", "c"}), [](ArrowArray& a) { a.n_buffers = 2; }) ==
        "column 'user' (format 'vu') has 2 buffers, not 3 or more");
}

TEST_CASE("more buffers than views can number are an error, in a column and in a dictionary") {
  const ArrowColumn texts = test::views("user", {"a", "b", "c"});
  const ArrowColumn words = test::dictionary<std::int8_t>("c", {0, 1, 2}, texts);
  for (const std::int64_t count : {(std::int64_t{1} << 31) + 4, std::int64_t{1} << 60,
                                   std::numeric_limits<std::int64_t>::max()}) {
    const std::string problem =
        " has " + std::to_string(count) + " buffers; an array has at most 2147483651";
    CHECK(array_error(texts, [&](ArrowArray& a) { a.n_buffers = count; }) ==
          "column 'user' (format 'vu')" + problem);
    CHECK(array_error(words, [&](ArrowArray& a) { a.dictionary->n_buffers = count; }) ==
          "the dictionary of column 'user' (format 'c')" + problem);
  }
}

TEST_CASE("texts whose offsets fall are an error that names the row") {
  const std::string texts = "column 'user' (format 'u'), row ";
  CHECK(array_error(between<std::int32_t>({0, 1, 2, 3})) == "no error");
  CHECK(array_error(between<std::int32_t>({0, 2, 1, 3}))
            .starts_with(texts + "1 (from 0): its text has the offsets 2 to 1"));
  CHECK(array_error(between<std::int32_t>({-1, 1, 2, 3}))
            .starts_with(texts + "0 (from 0): its text has the offsets -1 to 1"));
  CHECK(array_error(between<std::int64_t>({0, 1, 2, std::numeric_limits<std::int64_t>::min()}))
            .starts_with("column 'user' (format 'U'), row 2 (from 0): its text has the offsets"));
  CHECK(array_error(between<std::int32_t>({0, 1, 2, 3}), [](ArrowArray& a) {
          a.buffers[2] = nullptr;
        }) == texts + "0 (from 0): there is no buffer of characters");
  CHECK(array_error(between<std::int32_t>({0, 0, 0, 0}), [](ArrowArray& a) {
          a.buffers[2] = nullptr;
        }) == texts + "0 (from 0): is an empty string, which is not a valid id");
}

TEST_CASE("views that point outside of their buffers are an error that names the row") {
  const std::string row = "column 'user' (format 'vu'), row 1 (from 0): its text ";
  CHECK(array_error(view(20, 0, 0)) == "no error");
  CHECK(array_error(view(-1, 0, 0)) == row + "has a negative length: -1");
  CHECK(array_error(view(20, 2, 0)) == row + "refers to buffer 2 (from 0) of 2");
  CHECK(array_error(view(20, -1, 0)) == row + "refers to buffer -1 (from 0) of 2");
  CHECK(array_error(view(20, 0, 1)) == row + "refers to bytes 1 to 21 of a buffer of length 20");
  CHECK(array_error(view(21, 0, 0)) == row + "refers to bytes 0 to 21 of a buffer of length 20");
  CHECK(array_error(view(20, 0, -1)) == row + "refers to bytes -1 to 19 of a buffer of length 20");
  CHECK(array_error(view(20, 1, 0)) == row + "refers to bytes 0 to 20 of a buffer of length 0");
  constexpr auto max = std::numeric_limits<std::int32_t>::max();
  CHECK(array_error(view(max, 0, max)) ==
        row + "refers to bytes 2147483647 to 4294967294 of a buffer of length 20");
  CHECK(array_error(view(20, 0, 0), [](ArrowArray& a) {
          a.buffers[2] = nullptr;
        }).starts_with(row + "refers to bytes 0 to 20"));
  CHECK(array_error(view(20, 0, 0), [](ArrowArray& a) { a.buffers[4] = nullptr; }) ==
        row + "refers to buffer 0 (from 0) of 2");
}

TEST_CASE("a dictionary that is not where it should be is an error") {
  const ArrowColumn words = test::texts("user", {"a", "b"});
  const ArrowColumn user = test::dictionary<std::int8_t>("c", {0, 1, 2}, words);
  const std::string column = "column 'user' (format 'c')";
  CHECK(array_error(user) ==
        column + ", row 2 (from 0): has the index 2 into a dictionary of length 2");
  CHECK(array_error(test::dictionary<std::int8_t>("c", {0, -1, 0}, words)) ==
        column + ", row 1 (from 0): has an invalid index into a dictionary of length 2");
  CHECK(array_error(test::dictionary<std::uint64_t>("L", {~std::uint64_t{0}, 0, 0}, words)) ==
        "column 'user' (format 'L'), row 0 (from 0): has an invalid index into a dictionary of "
        "length 2");
  CHECK(array_error(user, [](ArrowArray& a) { a.dictionary = nullptr; }) ==
        column + " has no dictionary, but its schema has one");
  CHECK(array_error(user_column, [](ArrowArray& a) { a.dictionary = &a; }) ==
        "column 'user' (format 'i') has a dictionary, but its schema has none");
  CHECK(array_error(user, [](ArrowArray& a) {
          a.dictionary->length = -1;
        }).starts_with("the dictionary of " + column + " has an array of length -1"));
  CHECK(array_error(user, [](ArrowArray& a) { a.dictionary->release(a.dictionary); }) ==
        "the dictionary of " + column + " has an array that was released");
  CHECK(array_error(user, [](ArrowArray& a) { a.dictionary->buffers[1] = nullptr; }) ==
        "the dictionary of " + column + " has no buffer of values");
  CHECK(array_error(
            test::dictionary<std::int8_t>("c", {0, 0, 1}, between<std::int32_t>({0, 1, -5, 6})))
            .starts_with("the dictionary of " + column +
                         ", row 1 (from 0): its text has the offsets 1 to -5"));
}

TEST_CASE("a stream that fails is an error with what it says, and leaves nothing to be released") {
  const std::vector<ArrowColumn> table{user_column, item_column};
  const auto stream_error = [](const test::Stream::Own& own) {
    ArrowArrayStream stream = test::Stream::of(own);
    std::string message = "no error";
    try {
      (void)read_arrow(&stream);
    } catch (const DataError& error) {
      message = error.what();
    }
    CHECK_FALSE(static_cast<bool>(stream.release));
    CHECK(test::live == 0);
    return message;
  };
  CHECK(stream_error({.batches = {table}}) == "no error");
  CHECK(stream_error({.batches = {table}, .schema_error = 12, .error = "no memory for it"}) ==
        "Arrow data: the stream's get_schema failed: no memory for it");
  CHECK(stream_error({.batches = {table}, .schema_error = 12}) ==
        "Arrow data: the stream's get_schema failed: Cannot allocate memory");
  for (const std::size_t batch : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    CHECK(stream_error({.batches = {table, table}, .fails_at = batch, .error = "disk"}) ==
          "Arrow data: the stream's get_next failed: disk");
  }
  CHECK(stream_error({.batches = {table, {user_column, user_column, item_column}}}) ==
        "Arrow data: a record batch has 3 columns, but its schema has 2");
  CHECK(
      stream_error({.batches = {table, {user_column, test::numbers("item", "u", std::vector{1})}}})
          .starts_with("Arrow data: column 'item' (format 'u') has 1 values"));

  ArrowArrayStream half = test::Stream::of({table});
  half.get_next = nullptr;
  CHECK_THROWS_WITH_AS((void)read_arrow(&half),
                       "Arrow data: the stream has no get_schema or no get_next", DataError);
  ArrowArrayStream silent = test::Stream::of({.batches = {table}, .schema_error = 22});
  silent.get_last_error = nullptr;
  CHECK_THROWS_WITH_AS((void)read_arrow(&silent),
                       "Arrow data: the stream's get_schema failed: Invalid argument", DataError);
  ArrowArrayStream bare = test::Stream::of({table});
  bare.get_schema = [](ArrowArrayStream*, ArrowSchema*) { return 0; };
  CHECK_THROWS_WITH_AS((void)read_arrow(&bare), "Arrow data: the stream has no schema", DataError);
  CHECK(test::live == 0);
}

TEST_CASE("what was released, or is not there, is an error, and the other one is released") {
  const std::vector<ArrowColumn> table{user_column, item_column};
  ArrowArrayStream stream = test::Stream::of({table});
  CHECK(read_arrow(&stream).size() == 3);
  CHECK_THROWS_WITH_AS((void)read_arrow(&stream), "stream: must not be null or released",
                       ArgumentError);
  CHECK_THROWS_AS((void)read_arrow(static_cast<ArrowArrayStream*>(nullptr)), ArgumentError);

  ArrowSchema schema = test::schema_of(table);
  CHECK_THROWS_WITH_AS((void)read_arrow(&schema, nullptr), "batch: must not be null or released",
                       ArgumentError);
  CHECK(test::live == 0);
  ArrowArray array = test::array_of(table);
  CHECK_THROWS_WITH_AS((void)read_arrow(&schema, &array), "schema: must not be null or released",
                       ArgumentError);
  CHECK(test::live == 0);
}

TEST_CASE("everything is released where an option is at fault") {
  ArrowArrayStream stream = test::Stream::of({{user_column, item_column}});
  CHECK_THROWS_AS((void)read_arrow(&stream, {.user = 7}), ArgumentError);
  CHECK_THROWS_AS((void)refusal_of({user_column, item_column}, nullptr, {.user = 1, .item = 1}),
                  ArgumentError);
  CHECK(test::live == 0);
}
