// SPDX-License-Identifier: BSD-3-Clause
// Files as spreadsheets, databases and other programs export them.
#include <doctest/doctest.h>

#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"
#include "support/contains.hpp"

using namespace prism;
using test::contains;

namespace {

/// The ids of all interactions, such as "7 8, 9 8", or the message of the error.
std::string ids_in(const std::string& text, const ReadOptions& options = {},
                   const std::string& name = "data.csv") {
  const TemporaryFile file(text, name);
  try {
    const Interactions data = read_interactions(file.path(), options);
    std::string ids;
    for (std::size_t k = 0; k < data.size(); ++k) {
      ids += (k == 0 ? "" : ", ") + std::string(data.user_id(data[k].user)) + " " +
             std::string(data.item_id(data[k].item));
    }
    return ids;
  } catch (const DataError& error) {
    return std::string(error.what()).substr(file.path().string().size());
  }
}

}  // namespace

TEST_CASE("Excel's first line says what separates the columns") {
  CHECK(ids_in("sep=;\nuser_id;item_id;rating\n7;8;4,5\n9;8;3,0\n") == "7 8, 9 8");
  CHECK(ids_in("\xEF\xBB\xBFsep=,\r\nuser_id,item_id\r\n7,8\r\n9,8\r\n") == "7 8, 9 8");
  CHECK(ids_in("sep=;\n7;8;4\n9;8;3\n7;10;2\n") == "7 8, 7 10, 9 8");
  CHECK(ids_in("\"sep=|\"\n7|8,1|4\n9|8,1|3\n") == "7 8,1, 9 8,1");
  CHECK(ids_in("SEP=\t\n# by hand\n7\t8\n9\t8\n") == "7 8, 9 8");
  CHECK(ids_in("sep=,\n7;8\n9;8\n", {.delimiter = ";"}) == "7 8, 9 8");
  CHECK(ids_in("sep=;\n7;8\n9;\n") ==
        ":3: the item is empty; set the option drop_invalid to leave out such lines");
  CHECK(contains(ids_in("sep=;"), ": is empty"));
}

TEST_CASE("ratings and times with a decimal comma are read by an option that the error names") {
  const std::string text = "user_id;item_id;rating\n7;8;4,5\n9;8;3\n7;10;2,5\n";
  CHECK(ids_in(text, {.min_rating = 3}) ==
        ":2: the rating is not a finite number: '4,5'; if it has a decimal comma, set the option "
        "decimal_comma; otherwise set the option drop_invalid to leave out such lines");
  CHECK(ids_in(text, {.min_rating = 3, .decimal_comma = true}) == "7 8, 9 8");
  CHECK(contains(ids_in("7;8;4.5\n", {.min_rating = 3, .decimal_comma = true}),
                 ":1: the rating is not a finite number: '4.5'; set the option drop_invalid"));
  CHECK(
      contains(ids_in("7;8;1,2,3\n", {.min_rating = 3, .decimal_comma = true}), ":1: the rating"));
  const TemporaryFile timed("user;item;time\n7;8;1300094813,5\n");
  CHECK(read_interactions(timed.path(), {.decimal_comma = true}).times()[0] == 1300094813.5);
}

TEST_CASE("all digits of a number count, however it is written") {
  CHECK(ids_in("7 8 1.000000000000000000e+00\n9 8 4.000000000000000000e+00\n",
               {.format = Format::delimited, .min_rating = 3}) == "9 8");
  CHECK(ids_in("7.000000000000000000e+00,8.000000000000000000e+00\n") ==
        ":1: column 0 (from 0), the user column, has numbers in scientific notation such as "
        "'7.000000000000000000e+00', to which ids may have been rounded when the file was written; "
        "export the ids as text");
}

TEST_CASE("unmatched quotes between tabs are part of the field, with backslashes too") {
  const ReadOptions escapes{.backslash_escapes = true};
  const std::string rest = "\t5\n1\t2\t5\n";
  CHECK(ids_in("7\t\"a\\\\" + rest, escapes) == "7 \"a\\, 1 2");
  CHECK(ids_in("7\t\"a\" b\\\\" + rest, escapes) == "7 \"a\" b\\, 1 2");
  CHECK(ids_in("7\t\"a\\\"b\"" + rest, escapes) == "7 a\"b, 1 2");
}

TEST_CASE("backslashes that escape quotes are read by an option that the error names") {
  const std::string text =
      "\"User-ID\";\"ISBN\";\"Book-Rating\"\n\"276725\";\"034545104X\";\"0\"\n"
      "\"276726\";\"\\\"0432534220\\\"\";\"5\"\n\"276727\";\"0446520802\\\"\";\"0\"\n"
      "\"276728\";\"\xC9\";\"6\"\n\"276729\";\"a\\\";b\";\"6\"\n";
  CHECK(
      ids_in(text) ==
      ":3: a quoted field does not end with a quote followed by a delimiter; if a backslash makes "
      "a quote part of a field, set the option backslash_escapes");
  const ReadOptions escapes{.backslash_escapes = true};
  CHECK(ids_in(text, escapes) ==
        "276725 034545104X, 276726 \"0432534220\", 276727 0446520802\", 276728 \xC9, 276729 "
        "a\";b");
  CHECK(ids_in("user,item,note\n7,8\\,9,\"a\\\nb\"\n9,8\\\\,\"a\n\"\"\\\"b\"\n", escapes) ==
        "7 8,9, 9 8\\");
  CHECK(ids_in("user\titem\tnote\n7\ta\\\tb\tx\n9\tc\\d\tx\\\ny\n", escapes) == "7 a\tb, 9 c\\d");
  CHECK(contains(ids_in("user,item\n7,\"8\\\"\n", escapes), ":2: a quoted field does not end"));
  CHECK(contains(ids_in("user,item\n7,8\n9,\\N\n", escapes), ":3: the item is missing: '\\N'"));
  const ReadOptions dropping{.drop_invalid = true, .backslash_escapes = true};
  CHECK(ids_in("user,item\n7,8\n9,\"8\\\"x\"y\n", dropping) == "7 8");
  std::string tall = "user,item,note\n";
  for (int k = 0; k < 100; ++k) tall += std::to_string(k % 7) + "," + std::to_string(k) + ",x\n";
  CHECK(contains(ids_in(tall + "7,8,\"a\\\",b\"\n"), "set the option backslash_escapes"));
}

TEST_CASE("columns between several tabs are read by an option that the error names") {
  const std::string text = "1\t\t5\t\t0.219\n1\t\t7\t\t-9.281\n2\t\t5\t\t-9.281\n";
  CHECK(ids_in(text) ==
        ":1: the item is empty in column 1 (from 0) of every line; if any number of tabs separates "
        "columns, set the option delimiter to a space, which matches them, or to as many tabs; use "
        "the options user and item to choose other columns");
  CHECK(ids_in(text, {.delimiter = "\t\t"}) == "1 5, 1 7, 2 5");
  CHECK(ids_in(text, {.delimiter = " "}) == "1 5, 1 7, 2 5");
  CHECK(ids_in(text, {.item = 2}) == "1 5, 1 7, 2 5");
  CHECK(contains(ids_in("7\t\t8\n9\t8\n"), "set the option delimiter to a space"));
  CHECK(contains(ids_in("7;;8\n9;;8\n"), "if columns are separated by ';;', set the option"));
  CHECK(contains(ids_in("user,item,rating\n7,,5\n9,,4\n"), ":2: the item is empty in column 1"));
}

TEST_CASE("RecBole's header is recognised whatever separates it") {
  const std::string commas = "user_id:token,item_id:token,rating:float\n7,8,5\n9,8,4\n";
  const std::string spaces = "user_id:token item_id:token rating:float\n7 8 5\n9 8 4\n";
  for (const std::string name : {"data.csv", "mine.inter"}) {
    CHECK(ids_in(commas, {}, name) == "7 8, 9 8");
    CHECK(ids_in(spaces, {}, name) == "7 8, 9 8");
    CHECK(ids_in(commas, {.min_rating = 5}, name) == "7 8");
  }
  CHECK(ids_in("user_id\titem_id\trating\n7\t8\t5\n9\t8\t4\n", {}, "x.inter") == "7 8, 9 8");
  CHECK(ids_in("user_id:token\titem_id_list:token_seq\titem_id:token\n7\t8 9 10\t11\n") == "7 11");
  CHECK(ids_in(commas, {.format = Format::recbole}) == "7 8, 9 8");
  CHECK(
      contains(ids_in("user_id,item_id\n7,8\n", {.format = Format::recbole}),
               ":1: must be the header of a RecBole file, such as user_id:token<tab>item_id:token; "
               "if it is separated by something else, set the option delimiter"));
  CHECK(ids_in(commas, {.format = Format::recbole, .delimiter = ","}) == "7 8, 9 8");
  CHECK(ids_in("a:b,c:d\ne:f,g:h\n", {.header = Header::no}) == "a:b c:d, e:f g:h");
}
