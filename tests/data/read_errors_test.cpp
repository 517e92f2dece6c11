// SPDX-License-Identifier: BSD-3-Clause
// Errors for invalid files name the file, the line and what was expected.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/parts_reader.hpp"
#include "prism/data/read.hpp"
#include "support/contains.hpp"

using namespace prism;
using test::contains;

namespace {

/// The message of the DataError from reading the text, without the file's name.
std::string error_of(const std::string& text, const ReadOptions& options = {},
                     const std::string& name = "data.txt") {
  const TemporaryFile file(text, name);
  try {
    (void)read_interactions(file.path(), options);
  } catch (const DataError& error) {
    CHECK(error.file() == file.path().string());
    const std::string message = error.what();
    REQUIRE(message.starts_with(error.file()));
    return message.substr(error.file().size());
  }
  return "no error";
}

const std::string leave_out = "; set the option drop_invalid to leave out such lines";

}  // namespace

TEST_CASE("a file that cannot be read is an error that says why") {
  const TemporaryFile file("7,8\n");
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      (void)read_interactions(path);
    } catch (const DataError& error) {
      CHECK(error.line() == 0);
      return error.what();
    }
    return "no error";
  };
  const std::string missing = (file.folder() / "missing.tsv").string();
  CHECK(message(missing) == missing + ": does not exist");
  CHECK(message(file.folder()) == file.folder().string() +
                                      ": is a directory, not a file; join its files into one, as "
                                      "with cat, or pass them to read_parts");
  CHECK(message("-") == "-: does not exist; the standard input is /dev/stdin");
  CHECK(message("/dev/null") == "/dev/null: is neither a regular file nor a pipe");
  CHECK(contains(message(std::string(5000, 'x')), "cannot be read: "));
  CHECK(contains(message(file.path() / "below"), "below: "));

  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  if (std::ifstream(file.path()).good()) {
    MESSAGE("this user may read every file");
  } else {
    CHECK(contains(message(file.path()), "cannot be opened: Permission denied"));
  }
}

TEST_CASE("an empty file is an error") {
  CHECK(error_of("") == ": is empty");
  CHECK(error_of("\n\r\n  \n") == ": is empty");
  CHECK(error_of("\xEF\xBB\xBF") == ": is empty");
  CHECK(error_of("user,item\n") == ": has no interactions");
  CHECK(error_of("0\n1\n", {.format = Format::adjacency}) == ": has no interactions");
  CHECK(error_of("user_id:token\titem_id:token\n") == ": has no interactions");
}

TEST_CASE("a rating that is not a finite number is an error that names its line") {
  const ReadOptions rated{.min_rating = 3};
  CHECK(error_of("1::2::5\n1::3::good\n", rated) ==
        ":2: the rating is not a finite number: 'good'" + leave_out);
  CHECK(error_of("user,item,rating\n\n1,2,\n", rated) ==
        ":3: the rating is not a finite number: ''" + leave_out);
  CHECK(error_of("1::2::abc\n1::3::4\n", rated) ==
        ":1: the rating is not a finite number: 'abc'" + leave_out);
  for (const std::string field :
       {"nan", "inf", "-inf", "1e999", "5x", "5 4", "0x10", "--5", "1,5,3"}) {
    CAPTURE(field);
    CHECK(error_of("1\t2\t5\n1\t3\t" + field + "\n", rated) ==
          ":2: the rating is not a finite number: '" + field + "'" + leave_out);
  }
  const std::string endless(100'000, 'z');
  CHECK(error_of("1\t2\t5\n1\t3\t" + endless + "\n", rated).size() < 200);
}

TEST_CASE("a threshold for the files that have ratings leaves the others as they are") {
  const auto sizes = [](const std::string& text) {
    const TemporaryFile file(text);
    const Interactions data =
        read_interactions(file.path(), {.min_rating = 3, .require_rating = false});
    return std::pair(data.size(), data.read_summary()->rating_column);
  };
  CHECK(sizes("user,item\na,x\na,y\n") == std::pair(std::size_t{2}, std::string()));
  CHECK(sizes("user,item,rating\na,x,5\na,y,1\n") ==
        std::pair(std::size_t{1}, std::string("2 'rating'")));
  CHECK(sizes("1\t2\n1\t3\n") == std::pair(std::size_t{2}, std::string()));
  CHECK(sizes("1\t2\t5\n1\t3\t1\n") == std::pair(std::size_t{1}, std::string("2")));
  CHECK(sizes("1\t2\t978300760\n1\t3\t978300761\n") == std::pair(std::size_t{2}, std::string()));
  CHECK(sizes("1\t2\tgood\n1\t3\tbad\n") == std::pair(std::size_t{2}, std::string()));
  CHECK(sizes("1 2 3\n2 1 2 4\n") == std::pair(std::size_t{5}, std::string()));  // adjacency lists
  // An invalid rating is still an error.
  CHECK(error_of("user,item,rating\na,x,5\na,y,good\n", {.min_rating = 3, .require_rating = false})
            .find("the rating is not a finite number") != std::string::npos);
}

TEST_CASE("a time that is not as the first one is an error that names its line and what to do") {
  const std::string choose =
      "; use the option time to choose the time column, or no_column if times are not needed, "
      "or drop_invalid to leave out such lines";
  CHECK(error_of("1,2,5,881250949\n1,3,5,noon\n") ==
        ":2: the time is not a finite number, as the first time is: 'noon'" + choose);
  CHECK(error_of("1,2,5,881250949\n1,3,5,2011-03-14\n") ==
        ":2: the time is not a finite number, as the first time is: '2011-03-14'" + choose);
  CHECK(error_of("1,2,5,2011-03-14\n1,3,5,9\n") ==
        ":2: the time is not a date such as 2011-03-14 or 2011-03-14T09:26:53Z, as the first time "
        "is: '9'" +
            choose);
  CHECK(error_of("user,item,date\n1,2,14.03.11\n") ==
        ":2: the time is not a finite number or a date such as 2011-03-14: '14.03.11'" + choose);
  CHECK(error_of("user,item,date\n1,2,14.03.11\n", {.time = no_column}) == "no error");
}

TEST_CASE("the column of times is none of the others") {
  const auto refuses = [](const ReadOptions& options) {
    const TemporaryFile file("1,2,5,9\n1,3,4,8\n");
    CHECK_THROWS_WITH_AS(
        (void)read_interactions(file.path(), options),
        "time: must not be the same column as user, item, rating or the test column",
        ArgumentError);
  };
  refuses({.time = 0});
  refuses({.time = 1});
  refuses({.time = 2, .min_rating = 3});
  CHECK(error_of("1,2,5,9\n1,3,4,8\n", {.time = 2}) == "no error");
}

TEST_CASE("a line with too few columns is an error that says how many there are") {
  const ReadOptions columns{.format = Format::delimited};
  CHECK(error_of("1\t2\n3\n4\t5\n", columns) ==
        ":2: expected 2 columns or more, with the item in column 1 (from 0), found 1 in '3'");
  CHECK(error_of("1,2\n1,3\n", {.min_rating = 3}) ==
        ":1: expected 3 columns or more, with the rating in column 2 (from 0), found 2 in '1,2'");
  CHECK(error_of("1,2,3,881250949\n1,3,4\n", columns) ==
        ":2: expected 4 columns or more, with the time in column 3 (from 0), found 3 in '1,3,4'");
  CHECK(error_of("1 2\n", {.delimiter = "\t"}) ==
        ":1: expected 2 columns or more, with the item in column 1 (from 0), found 1 in '1 2'");
}

TEST_CASE("content that is not text is an error that says why") {
  CHECK(error_of(std::string("1,2\n3,\0\n", 8)) ==
        ":2: contains a zero byte, so it is not text; if it is UTF-16 or UTF-32, convert it to "
        "UTF-8");
  CHECK(contains(error_of("1,2\r3,4\r5,6"), ":1: has a carriage return within"));
  CHECK(contains(error_of("1\t2\n3\t\x1B[2Jx\n", {.rating = 1}), "no error"));
  CHECK(error_of("1\t2\t5\n1\t3\t\x1B[2J\n", {.min_rating = 3}) ==
        ":2: the rating is not a finite number: '?[2J'" + leave_out);
}

TEST_CASE("adjacency lists have no columns") {
  const std::string lists = "0 5 6 7 8\n1 6\n2\n";
  CHECK(
      contains(error_of(lists, {.min_rating = 3}), ":2: has 2 columns, but the first line has 5"));
  CHECK(contains(error_of(lists, {.format = Format::delimited}), ":3: expected 2 columns or more"));
  CHECK(contains(error_of("0 5 6\n1\t6\n", {.format = Format::adjacency}), ":2: has a tab"));
}

TEST_CASE("a header that names only one of user and item needs an option for the other") {
  CHECK(error_of("x,user,rating\n0,7,5\n") == "no error");  // no other column may be the item
  CHECK(error_of("x,user,rating,y\n0,7,5,8\n") ==
        ":1: no column has a known name for the item; use the option item to choose one of x, "
        "user, rating, y");
  CHECK(error_of("item,x,y\n0,7,5\n") ==
        ":1: no column has a known name for the user; use the option user to choose one of item, "
        "x, y");
  CHECK(error_of("item,x,y\n0,7,5\n", {.user = "y"}) == "no error");
}

TEST_CASE("an empty user or item is an error") {
  CHECK(error_of("1,2\n,3\n") == ":2: the user is empty" + leave_out);
  CHECK(error_of("1,2,3\n1,,5\n") == ":2: the item is empty" + leave_out);
  CHECK(error_of("1,2\n\"\",3\n") == ":2: the user is empty" + leave_out);
  const ReadOptions lists{.format = Format::adjacency, .delimiter = ","};
  CHECK(error_of("1,2,3\n2,,4\n", lists) == ":2: an item is empty" + leave_out);
  CHECK(error_of("1,2,3\n,4\n", lists) == ":2: the user is empty" + leave_out);
  CHECK(error_of("1,2,3,\n2,4,,\n", lists) == "no error");
}

TEST_CASE("quotes that do not match are an error") {
  const std::string problem = "a quoted field does not end with a quote followed by a delimiter";
  CHECK(error_of("1,2\n\"3,4\n") == ":2: " + problem);
  CHECK(error_of("1,2\n\"3\"x,4\n") == ":2: " + problem);
  CHECK(error_of("1,2\n3,\"4\"\"\n") == ":2: " + problem);
}

TEST_CASE("an ambiguous format is an error that names the option") {
  CHECK(contains(error_of("1 2 3\n4 5 6\n"), "has 3 words on each line"));
  CHECK(contains(
      error_of("1 2 3\n4 5 6\n"),
      "set the option format to adjacency (on each line, a user and all of the user's items)"));
  CHECK(contains(error_of("1,2;3\n4,5;6\n"), "the option delimiter"));
  CHECK(contains(error_of("one\ntwo\n"), "the option delimiter"));
  CHECK(error_of("1\t2 3\n4\t5 6 7\n") ==
        ":1: has numbers between spaces after a tab, which may be one id or a list; for lists, "
        "replace the tabs by spaces; otherwise set the option format to delimited");
  CHECK(error_of("1\t2 3\n4\t5 6 7\n", {.format = Format::delimited}) == "no error");
  CHECK(error_of("1\tJean Luc 3\n4\tWill 7\n", {.header = Header::no}) == "no error");
}

TEST_CASE("no rating of at least min_rating is an error that says so") {
  CHECK(error_of("1,2,1\n1,3,2\n", {.min_rating = 3}) ==
        ": has no interaction rated 3 or higher in column 2 (from 0)");
}

TEST_CASE("an unknown column is an error that lists the known ones") {
  CHECK(error_of("who,what\n1,2\n", {.user = "user"}) ==
        ":1: no column is named 'user' (option user); the columns are: who, what");
  CHECK(error_of("user_id:token\titem_id:token\n1\t2\n", {.min_rating = 3}) ==
        ":1: no column is named 'rating' (option rating); the columns are: user_id, item_id");
  CHECK(error_of("a\tb\n1\t2\n", {.format = Format::recbole}) ==
        ":1: must be the header of a RecBole file, such as user_id:token<tab>item_id:token; if it "
        "is separated by something else, set the option delimiter");
  CHECK(error_of("1,2\n", {.item = 5}) ==
        ":1: expected 6 columns or more, with the item in column 5 (from 0), found 2 in '1,2'");
}

TEST_CASE("incompatible options are errors") {
  const auto read = [](const ReadOptions& options) {
    const TemporaryFile file("1 2 3\n");
    (void)read_interactions(file.path(), options);
  };
  CHECK_THROWS_AS(read({.format = Format::adjacency, .min_rating = 3}), ArgumentError);
  CHECK_THROWS_AS(read({.format = Format::adjacency, .header = Header::yes}), ArgumentError);
  CHECK_THROWS_AS(read({.format = Format::adjacency, .time = 2}), ArgumentError);
  CHECK_THROWS_AS(read({.user = 1, .item = 1}), ArgumentError);
  CHECK_THROWS_AS(read({.item = 0}), ArgumentError);
  CHECK_THROWS_AS(read({.item = 2, .min_rating = 3}), ArgumentError);
  CHECK_THROWS_WITH_AS(read({.user = -1}), "user: must be a column number of at least 0, not -1",
                       ArgumentError);
  CHECK_THROWS_AS(read({.min_rating = std::numeric_limits<double>::quiet_NaN()}), ArgumentError);
  CHECK_THROWS_WITH_AS((void)parse_format("json"),
                       "format: must be one of automatic, delimited, adjacency, recbole, not "
                       "'json'",
                       ArgumentError);
}

TEST_CASE("a line without an end is an error before it fills the memory") {
  const TemporaryFile file("1,2\n" + std::string(5'000'000, 'x'));
  detail::PartsReader reader({}, {.block = 2'000'000, .max_record = 1'000'000});
  detail::Part part;
  CHECK_THROWS_WITH_AS(reader.read(file.path(), part),
                       (file.path().string() +
                        ":2: is longer than 1000000 bytes; it may have an unclosed quoted field")
                           .c_str(),
                       DataError);
}

TEST_CASE("a test column that leaves one part empty is an error") {
  const TemporaryFile file("1,2,0\n1,3,1\n");
  const auto message = [&](const TestColumn& column) -> std::string {
    try {
      (void)read_train_test(file.path(), column);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(message({}) == "no error");
  CHECK(contains(message({.value = "test"}),
                 ": has no interaction in the test set, that is, with 'test' in the test column; "
                 "set the option test_value to the value that marks it"));
  CHECK_THROWS_AS((void)read_train_test(file.path(), TestColumn{1, "3"}), ArgumentError);
  CHECK_THROWS_AS((void)read_train_test(file.path(), TestColumn{}, {.min_rating = 1}),
                  ArgumentError);
  const TemporaryFile all("1,2,1\n1,3,1\n");
  CHECK_THROWS_AS((void)read_train_test(all.path(), TestColumn{}), DataError);
}

#if defined(PRISM_HAS_ZLIB)
TEST_CASE("a truncated gzip file is an error, wherever it ends") {
  const std::string whole = gzipped("1,2\n1,3\n1,4\n");
  CHECK(error_of(whole) == "no error");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(error_of(whole.substr(0, size)) == ": is a truncated gzip file");
  }
}

TEST_CASE("a corrupt gzip file is an error") {
  std::string text;
  for (int k = 0; k < 5000; ++k) text += std::to_string(k) + "," + std::to_string(k * k) + "\n";
  std::string bytes = gzipped(text);
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // in its checksum
  CHECK(contains(error_of(bytes), ": is a corrupt gzip file: "));
  bytes = gzipped(text);
  for (std::size_t k = bytes.size() / 2; k < bytes.size() / 2 + 50; ++k) bytes[k] = '\xFF';
  CHECK(error_of(bytes) != "no error");
}
#else
TEST_CASE("without zlib a gzip file is an error that says so") {
  CHECK(error_of("\x1F\x8B\x08") ==
        ": is a gzip file, but the library was built without zlib; decompress it first");
}
#endif
