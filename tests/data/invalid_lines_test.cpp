// SPDX-License-Identifier: BSD-3-Clause
// Lines that are no interactions: with missing or invalid fields, without any value, footers.
#include <doctest/doctest.h>

#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"
#include "support/contains.hpp"

using namespace prism;
using test::contains;

namespace {

/// What describe() says from the number of users on, or the message of the error.
std::string found_in(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  try {
    const std::string all = describe(*read_interactions(file.path(), options).read_summary());
    return all.substr(all.find("; ") + 2);
  } catch (const DataError& error) {
    return std::string(error.what()).substr(file.path().string().size());
  }
}

const ReadOptions invalid_dropped{.min_rating = 0, .require_rating = false, .drop_invalid = true};
const std::string left_out_by_option = "; set the option drop_invalid to leave out such lines";

}  // namespace

TEST_CASE("lines with a missing or invalid field are left out by an option, counted by reason") {
  const std::string text = "user_id,item_id,rating\n7,8,5\n9,8,abc\n,8,4\n7,10,4\n7,,4\n9,11,\n";
  CHECK(found_in(text) == ":4: the user is empty" + left_out_by_option);
  CHECK(found_in(text, {.min_rating = 3}) ==
        ":3: the rating is not a finite number: 'abc'" + left_out_by_option);
  CHECK(found_in(text, {.min_rating = 3, .drop_invalid = true}) ==
        "1 user, 2 items, 2 interactions; left out: 1 without a user, 1 without an item, 2 without "
        "a valid rating");
  CHECK(found_in(text, {.drop_invalid = true}) ==
        "2 users, 3 items, 4 interactions; left out: 1 without a user, 1 without an item");
}

TEST_CASE("lines without a valid time are left out by the option") {
  const std::string text =
      "user_id,video_id,time\n14,148,2020-07-05 05:27:48.378\n14,183,\n21,3649,noon\n"
      "21,5262,2020-07-05 05:28:43.285\n";
  CHECK(contains(found_in(text), ":3: the time is not a date such as"));
  CHECK(contains(found_in(text), ", or drop_invalid to leave out such lines"));
  CHECK(found_in(text, invalid_dropped) ==
        "2 users, 2 items, 2 interactions; left out: 2 without a valid time");
}

TEST_CASE("lines with another number of columns are left out by the option") {
  const std::string text = "7,8,5\n9,8\n9,8,4,x\n7,10,3\n\"a,b,c\n7,11,3\n9,10,1\n9,11,1\n9,12,1\n";
  CHECK(contains(found_in(text), ":2: has 2 columns, but the first line has 3; set the option"));
  CHECK(contains(found_in(text), ", or the option drop_invalid to leave out such lines"));
  // A quote that does not end may have swallowed lines.
  CHECK(contains(found_in(text, invalid_dropped), ":5: a quoted field does not end"));
  const std::string odd = "7,8,5\n9,8\n9,8,4,x\n7,10,3\n\"a\"b,8,1\n7,11,3\n9,10,1\n9,11,1\n";
  CHECK(found_in(odd, invalid_dropped) ==
        "2 users, 3 items, 5 interactions; left out: 3 with another number of columns");
  // The sample ends before the first of these lines.
  std::string tall;
  for (int k = 0; k < 1000; ++k) tall += std::to_string(k % 30) + "\t" + std::to_string(k) + "\n";
  CHECK(contains(found_in(tall + "7\n7\t8\t9\n", invalid_dropped),
                 "left out: 2 with another number of columns"));
}

TEST_CASE("if no valid line is left, the error says what was wrong") {
  CHECK(found_in("user,item\n,8\n9,\n", invalid_dropped) ==
        ": has no valid interaction; left out: 1 without a user, 1 without an item");
}

TEST_CASE("words for a missing value among ids that have digits are errors, or left out") {
  const std::string text = "user_id,item_id\n7,8\nNULL,8\n9,10\n\\N,8\nnan,10\n7,None\n";
  CHECK(found_in(text) ==
        ":3: the user is missing: 'NULL'" + left_out_by_option +
            ", or missing_ids to the words that stand for a missing id (none: this one is "
            "kept)");
  CHECK(found_in(text, invalid_dropped) ==
        "2 users, 2 items, 2 interactions; left out: 3 without a user, 1 without an item");
  for (const std::string word : {"null", "NaN", "NA", "N/A", "<NA>", "None", "nil", "\\N"}) {
    CAPTURE(word);
    CHECK(contains(found_in("u1\tx7\nu2\t" + word + "\n"), ":2: the item is missing: "));
    CHECK(contains(found_in("u1,x7\n" + word + ",x8\n"), ":2: the user is missing: "));
    CHECK(contains(found_in("1 2 3\n" + word + " 5\n", {.format = Format::adjacency}),
                   ":2: the user is missing: "));
  }
  for (const std::string word : {"-", "--", "?", ".", "unknown", "Missing"}) {
    CAPTURE(word);
    CHECK(contains(found_in("1\t7\n2\t" + word + "\n"), ":2: the item is missing: "));
    CHECK(contains(found_in("1,7\n" + word + ",8\n"), ":2: the user is missing: "));
    CHECK(contains(found_in("u1\tx7\nu2\t" + word + "\n"), "2 items"));
  }
  const TemporaryFile marked("user,item\nu1,8\n-,9\n");
  const Interactions data = read_interactions(marked.path());
  REQUIRE(data.read_summary()->warnings.size() == 1);
  CHECK(contains(data.read_summary()->warnings[0], "there is the user '-'"));
  // Below the sample.
  std::string tall;
  for (int k = 0; k < 1000; ++k) tall += std::to_string(k % 30) + "\t" + std::to_string(k) + "\n";
  CHECK(contains(found_in(tall + "NULL\t7\n"), ":1001: the user is missing: 'NULL'"));
}

TEST_CASE("which words are missing ids can be chosen") {
  // Among names, None may be one, too.
  CHECK(contains(found_in("user,item\nAnn,8\nNone,8\n"), "2 users, "));
  CHECK(contains(found_in("user,item\n7,8\nnan,8\n", {.missing_ids = {{}}}), "2 users, "));
  CHECK(contains(found_in("user,item\nAnn,8\nguest,8\n", {.missing_ids = {{"guest", "bot"}}}),
                 ":3: the user is missing: 'guest'"));
  CHECK(found_in("user,item\nAnn,8\nguest,8\nbot,9\nguests,9\n",
                 {.drop_invalid = true, .missing_ids = {{"guest", "bot"}}}) ==
        "2 users, 2 items, 2 interactions; left out: 2 without a user");
}

TEST_CASE("of adjacency lists, the option leaves out a list without a user, and missing items") {
  const ReadOptions lists{.format = Format::adjacency, .delimiter = ",", .drop_invalid = true};
  CHECK(found_in("1,2,3,\n,4\n2,,4\n3,NA,5,,\n", lists) ==
        "3 users, 4 items, 4 interactions; left out: 1 without a user, 2 without an item");
}

TEST_CASE("lines without any value are left out and counted") {
  CHECK(found_in("user_id,item_id,rating\n7,8,5\n9,8,4\n,,\n,,\n") ==
        "2 users, 1 item, 2 interactions; left out: 2 without any value");
  CHECK(found_in("user_id;item_id\n7;8\n9;8\n;\n") ==
        "2 users, 1 item, 2 interactions; left out: 1 without any value");
  CHECK(found_in(",,,\nuser,item,rating\n7,8,5\n , ,\n\"\",\"\",\"\"\n9,8,5\n") ==
        "2 users, 1 item, 2 interactions; left out: 3 without any value");
  CHECK(found_in("7\t8\n\t\n9\t8\n") ==
        "2 users, 1 item, 2 interactions; left out: 1 without any value");
  CHECK(found_in("7::8\n::\n9::8\n") ==
        "2 users, 1 item, 2 interactions; left out: 1 without any value");
  CHECK(contains(found_in(",,\n,,\n"), ": has no interactions"));
  CHECK(contains(found_in("user_id,item_id\n7,8\n,8\n"), ":3: the user is empty"));
}

TEST_CASE("DOS's end-of-file mark is no id") {
  CHECK(found_in("user_id,item_id\r\n7,8\r\n9,8\r\n\x1A") ==
        "2 users, 1 item, 2 interactions; left out: 1 without any value");
  CHECK(found_in("7,8\n9,8\x1A") == "2 users, 1 item, 2 interactions; left out: none");
  CHECK(contains(found_in("1 2 3\n2 3\n\x1A\n", {.format = Format::adjacency}), "2 users, "));
}

TEST_CASE("the number of rows that a database writes below a table is left out") {
  for (const std::string footer :
       {"(2 rows affected)", "(2 row(s) affected)", "(2 rows)", "2 rows in set (0.00 sec)",
        "2 rows selected.", "2 records exported"}) {
    CAPTURE(footer);
    const std::string expected = "2 users, 1 item, 2 interactions; left out: 1 footer line";
    CHECK(found_in("user_id|item_id\n7|8\n9|8\n\n" + footer + "\n") == expected);
    CHECK(found_in("user item rating\n7 8 5\n9 8 4\n" + footer + "\n") == expected);
  }
  CHECK(contains(found_in("7,8,5\n9,8,4\nTotal: 2\n"), ":3: has 1 columns"));
  CHECK(contains(found_in("7,8,5\n9,8,4\nTotal: 2\n", invalid_dropped),
                 "left out: 1 with another number of columns"));
}

TEST_CASE("words that may be names stand for a missing id only among numbers") {
  CHECK(contains(found_in("user,item\n7,8 1/2\n8,unknown\n7,M1\n"), "3 items"));
  CHECK(contains(found_in("user,item\nu1,8\n-,9\n"), "2 users"));
  CHECK(contains(found_in("user,item\n7,8\n8,unknown\n"), "the item is missing: 'unknown'"));
  CHECK(contains(found_in("user,item\n7,8\n-,8\n"), "the user is missing: '-'"));
  CHECK(contains(found_in("user,item\nu1,8\nNone,9\n"), "the user is missing: 'None'"));
}

TEST_CASE("ratings with decimal commas, and bad ones, count as ratings that are not required") {
  CHECK(contains(found_in("new;12;1,5\nnew;14;4,5\n",
                          {.min_rating = 3, .require_rating = false, .decimal_comma = true}),
                 "1 rated below 3"));
  CHECK(contains(found_in("7,12,1.5\n7,14,4.5\n7,15,bad\n",
                          {.min_rating = 3, .require_rating = false, .drop_invalid = true}),
                 "1 rated below 3, 1 without a valid rating"));
}

TEST_CASE("the error of lines of other numbers of columns advises what is not set yet") {
  const std::string text = "1,2,3\n1,2\n2,2\n3,2\n";
  CHECK(contains(found_in(text), "or the option drop_invalid"));
  const std::string dropping = found_in(text, {.drop_invalid = true});
  CHECK_FALSE(contains(dropping, "or the option drop_invalid"));
}
