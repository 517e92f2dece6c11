// SPDX-License-Identifier: BSD-3-Clause
// Whether the first line is a header: cases in which it would be read as data.
#include <doctest/doctest.h>

#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"

using namespace prism;

namespace {

/// The first interaction's ids, "user item", or the error without the file's name.
std::string first_or_error(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  try {
    const Interactions data = read_interactions(file.path(), options);
    return std::string(data.user_id(data[0].user)) + " " + std::string(data.item_id(data[0].item));
  } catch (const DataError& error) {
    return std::string(error.what()).substr(error.file().size());
  }
}

}  // namespace

TEST_CASE("a header above adjacency lists is an error, unless an option says that it is data") {
  const ReadOptions lists{.format = Format::adjacency};
  CHECK(first_or_error("user items\n1 2 3\n", lists) ==
        ":1: has the column name 'user', but adjacency lists have no header; remove the line, or "
        "use the option header to say that it is not one");
  CHECK(first_or_error("reader\tItem_ID\n1\t2\t3\n", lists)
            .starts_with(":1: has the column name 'Item_ID', but adjacency lists"));
  CHECK(first_or_error("# by hand\n\nuid,film,film\n1,2,3\n", lists)
            .starts_with(":3: has the column name 'uid'"));
  CHECK(first_or_error("user items\n1 2 3\n",
                       {.format = Format::adjacency, .header = Header::no}) == "user items");
  // The words of later lines, and of other columns' names, are ids.
  CHECK(first_or_error("1 2 3\n2 user\n", lists) == "1 2");
  CHECK(first_or_error("1 date time\n2 score\n", lists) == "1 date");
}

TEST_CASE("numbers from 0 on above other users may be pandas' header, so the option is asked for") {
  CHECK(first_or_error("0,1,2\n196,242,3\n186,302,3\n") ==
        ":1: may be a header or an interaction: it has the numbers from 0 to 2, as pandas numbers "
        "columns without names; set the option header to say whether it is one");
  CHECK(first_or_error("0\t1\t2\t3\n196\t242\t3\t881250949\n")
            .starts_with(":1: may be a header or an interaction: it has the numbers from 0 to 3"));
  CHECK(first_or_error("0,1,2\n196,242,3\n", {.header = Header::yes}) == "196 242");
  CHECK(first_or_error("0,1,2\n196,242,3\n", {.header = Header::no}) == "0 1");
}

TEST_CASE(
    "numbers from 0 on are an interaction where the users go on in order, or in two columns") {
  CHECK(first_or_error("0,1,2\n0,7,3\n") == "0 1");
  CHECK(first_or_error("0,1,2\n1,7,3\n") == "0 1");
  CHECK(first_or_error("0\t1\n196\t242\n") == "0 1");
  CHECK(first_or_error("0,1,3\n196,242,3\n") == "0 1");
  CHECK(first_or_error("0,1,2\n") == "0 1");
  CHECK(first_or_error("# user,item,rating\n0,1,2\n196,242,3\n") == "0 1");
}

TEST_CASE("known names of users and items make a header, whatever else is in it") {
  CHECK(first_or_error("user_id,item_id,0\n196,242,3\n") == "196 242");
  CHECK(first_or_error("2019,movieId,userId\n3,242,196\n") == "196 242");
  CHECK(first_or_error("user,film,2019\n196,242,3\n") ==
        ":1: may be a header or an interaction: it has a known column name, but also a number; set "
        "the option header to say whether it is one");
  CHECK(first_or_error("7,movie,3\n8,book,4\n")
            .starts_with(":1: may be a header or an interaction: it has a known column name"));
  CHECK(first_or_error("7,movie,3\n8,book,4\n", {.header = Header::no}) == "7 movie");
}
