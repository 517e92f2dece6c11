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
