// SPDX-License-Identifier: BSD-3-Clause
// Files whose first columns are not users and items, and headers that do not fit their lines.
#include <doctest/doctest.h>

#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"
#include "support/contains.hpp"

using namespace prism;
using test::contains;

namespace {

/// The first interaction and their number, such as "7 8 (2)", or the message of the error.
std::string first_of(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  try {
    const Interactions data = read_interactions(file.path(), options);
    return std::string(data.user_id(data[0].user)) + " " + std::string(data.item_id(data[0].item)) +
           " (" + std::to_string(data.size()) + ")";
  } catch (const DataError& error) {
    return std::string(error.what()).substr(file.path().string().size());
  }
}

/// The warnings about the ids, and the doubt about the columns.
std::string warnings_of(const std::string& text, const ReadOptions& options = {}) {
  const Interactions data = read_interactions(TemporaryFile(text).path(), options);
  std::string all;
  for (const std::string& warning : data.read_summary()->warnings) all += warning + "\n";
  return all + doubt_about_columns(*data.read_summary());
}

const std::string choose_columns = "; use the options user and item to choose the columns";

}  // namespace

TEST_CASE("a header that lacks a name is refused, unless columns are chosen by number") {
  const std::string r = "user_id\titem_id\trating\n1\t7\t8\t5\n2\t9\t8\t4\n3\t7\t10\t3\n";
  const std::string problem =
      ":1: is a header of 3 names, but the lines below have 4 columns; their first column may be "
      "row names, as R's write.table writes them, so names do not say which columns they mean; "
      "choose the columns by number, with the options user and item";
  CHECK(first_of(r) == problem + ", or mend the header");
  CHECK(first_of(r, {.min_rating = 3}) == problem + " and the option rating, or mend the header");
  CHECK(contains(first_of(r, {.format = Format::delimited}), "is a header of 3 names"));
  CHECK(contains(first_of(r, {.user = "user_id", .item = "item_id"}), "is a header of 3 names"));
  CHECK(contains(first_of(r, {.user = 1, .item = 2, .min_rating = 4}), "is a header of 3 names"));
  CHECK(first_of(r, {.user = 1, .item = 2}) == "7 8 (3)");
  CHECK(first_of(r, {.user = 1, .item = 2, .rating = 3, .min_rating = 4}) == "7 8 (2)");
  const std::string quoted =
      "\"user_id\" \"item_id\" \"rating\"\n\"1\" \"u 7\" \"8\" 5\n\"2\" \"9\" \"8\" 4\n";
  CHECK(contains(first_of(quoted), "is a header of 3 names"));
  CHECK(first_of(quoted, {.user = 1, .item = 2}) == "u 7 8 (2)");
  CHECK(contains(first_of("user,item,rating,time,x\n1,2,a,7,8,5,9\n2,2,a,9,8,5,9\n"),
                 ":1: is a header of 5 names, but the lines below have 7 columns, so"));
  CHECK(contains(first_of("user,item,rating,time\n7,8,5\n9,8,4\n"),
                 ":1: is a header of 4 names, but the lines below have 3 columns, so"));
}

TEST_CASE("delimiters at the ends of lines, or of the header, are no columns") {
  const ReadOptions rated{.min_rating = 4};
  CHECK(first_of("user,item,rating\n7,8,5,\n9,8,4,\n7,10,3,\n", rated) == "7 8 (2)");
  CHECK(first_of("rating;item;user\n5;8;7;;\n4;8;9\n3;10;7;\n", rated) == "7 8 (2)");
  CHECK(first_of("user,item,rating,\n7,8,5\n9,8,4\n", rated) == "7 8 (2)");
  CHECK(first_of("7|8|5|\n9|8|4|\n7|10|3|\n", rated) == "7 8 (2)");
  CHECK(contains(first_of("user,item\n7,8,\n9,8,\n7,9,5\n"), ":1: is a header of 2 names"));
  std::string tall = "user,item\n";
  for (int k = 0; k < 100; ++k) tall += std::to_string(k % 7) + "," + std::to_string(k) + ",\n";
  CHECK(first_of(tall) == "0 0 (100)");
  CHECK(first_of(tall + "1,2,note\n", {.format = Format::delimited}) == "0 0 (101)");
  CHECK(contains(first_of(tall + "1,2,3\n"), ":102: has 3 columns, but the first line has 2"));
}

TEST_CASE("a column of line numbers is not taken for the users") {
  const std::string problem =
      ": column 0 (from 0), taken as the user column, has numbers that grow by 1 from line to "
      "line, which may be the lines' numbers" +
      choose_columns;
  const auto numbered = [](int lines, int begin, const std::string& end = "") {
    std::string text;
    for (int k = 0; k < lines; ++k) {
      text += std::to_string(begin + k) + "," + std::to_string(k % 7) + "," +
              std::to_string(k % 5 + 1) + end + "\n";
    }
    return text;
  };
  CHECK(first_of(numbered(21, 0)) == problem);
  CHECK(first_of(numbered(2000, 5)) == problem);
  CHECK(first_of("n,who,what\n" + numbered(30, 0)) == problem);
  CHECK(first_of(numbered(30, 0), {.user = 1, .item = 2}) == "0 1 (30)");
  CHECK(first_of(numbered(30, 0), {.user = 0}) == "0 0 (30)");
  CHECK(first_of(numbered(30, 0), {.training = false}) == "0 0 (30)");
  CHECK(first_of("user,item,rating\n" + numbered(30, 0)) == "0 0 (30)");
  // Users numbered by their first appearance in a few lines, or in those of the first items.
  CHECK(first_of("1,10,5\n2,10,3\n3,20,4\n") == "1 10 (3)");
  CHECK(first_of(numbered(20, 0)) == "0 0 (20)");
  std::string by_item;
  for (int k = 0; k < 300; ++k) {
    by_item += std::to_string(k % 150) + "," + std::to_string(k / 150) + ",5.0,97830\n";
  }
  CHECK(first_of(by_item) == "0 0 (300)");
  std::string konect = "% bip weighted\n";
  for (int k = 1; k <= 30; ++k) konect += std::to_string(k) + " 1 5\n";
  CHECK(first_of(konect) == "1 1 (30)");
  // The test set of a data set as NCF's, of users, items, ratings and times.
  CHECK(first_of(numbered(30, 0, ",978300760")) == "0 0 (30)");
  // A test set of one line for each user.
  const TemporaryFile train("0\t7\t5\n0\t9\t5\n1\t7\t4\n2\t8\t4\n"),
      test("0\t8\t5\n1\t9\t4\n2\t7\t4\n");
  CHECK(read_train_test(train.path(), test.path()).test.size() == 3);
}

TEST_CASE("a column with a value of its own in every line is not taken for the users or items") {
  std::string events, middle, one_user;
  for (int k = 0; k < 1200; ++k) {
    const std::string event = std::to_string((7 * k) % 1201), user = std::to_string(k % 5);
    events += "e" + event + "\t" + user + "\t" + std::to_string(k % 9) + "\n";
    middle += user + "\te" + event + "\t" + std::to_string(k % 9) + "\n";
    one_user += "42\te" + event + "\t" + std::to_string(k % 9) + "\n";
  }
  CHECK(contains(first_of(one_user), "(1200)"));
  CHECK(first_of(events) ==
        ": column 0 (from 0), taken as the user column, has a value of its own in every line, "
        "which may be the number of the line or of an event" +
            choose_columns);
  CHECK(
      contains(first_of(middle), ": column 1 (from 0), taken as the item column, has a value of"));
  CHECK(contains(first_of(events, {.user = 0}), "(1200)"));
  CHECK(contains(first_of("user\titem\trating\n" + events), "(1200)"));
  CHECK(contains(first_of(middle, {.item = 1}), "(1200)"));
}

TEST_CASE("a column of kinds of feedback is not taken for the users or items") {
  std::string like, both;
  for (int k = 0; k < 20; ++k) like += "like,u1,i" + std::to_string(k) + ",2022-06-24 21:20:11\n";
  for (int k = 0; k < 4; ++k) both += k % 2 == 0 ? "u1,view,i1\n" : "u2,addtocart,i1\n";
  CHECK(first_of(like) ==
        ":1: column 0 (from 0), taken as the user column, has kinds of feedback such as 'like'" +
            choose_columns);
  CHECK(first_of(like, {.user = 1, .item = 2}) == "u1 i0 (20)");
  CHECK(contains(first_of(both), ":1: column 1 (from 0), taken as the item column, has kinds"));
  CHECK(first_of("Typ,uid,iid\nfavori,3,8\nfavori,3,9\n") == "3 8 (2)");
  // A few lines, or no ids further right.
  CHECK(first_of("test,12,5\n") == "test 12 (1)");
  CHECK(first_of("star,order,5\nstar,open,4\nstar,play,4\nplay,star,1\n") == "star order (4)");
  CHECK(first_of(both, {.training = false}) == "u1 view (2)");
}

TEST_CASE("few ids in many lines are doubtful") {
  const std::string named = "alice,matrix,5\nalice,up,4\nalice,heat,3\n";
  const ReadOptions no_header{.header = Header::no};
  CHECK(first_of(named, no_header) == "alice matrix (3)");
  CHECK(contains(warnings_of(named, no_header),
                 "column 0 (from 0), taken as the user column, has only the value 'alice', which "
                 "may be a kind of feedback" +
                     choose_columns));
  CHECK(!contains(warnings_of(named, {.header = Header::no, .training = false}), "feedback"));
  std::string kinds, labels;
  for (int k = 0; k < 120; ++k) {
    const std::string ids = "," + std::to_string(k % 31) + "," + std::to_string(k % 17) + "\n";
    kinds += (k % 3 == 0 ? "mag" : "kauf") + ids;
    labels += (k % 3 == 0 ? "1" : "0") + ids;
  }
  CHECK(contains(warnings_of(kinds), "taken as the user column, has only a few values such as 'm"));
  CHECK(contains(warnings_of(labels), "user column, has only a few values such as '1'"));
  // One user, with a number or a name in a header.
  CHECK(first_of("7,1,5\n7,2,4\n7,3,4\n") == "7 1 (3)");
  CHECK(first_of("user,item,rating\nAnn,1,5\nAnn,2,4\nAnn,3,4\n") == "Ann 1 (3)");
  CHECK(!contains(warnings_of("user,item,rating\nAnn,1,5\nAnn,2,4\nAnn,3,4\n"), "feedback"));
}

TEST_CASE("interactions of new users are read, however few") {
  const ReadOptions history{.training = false};
  CHECK(first_of("new\t1\t978300760\nnew\t2\t978300760\nnew\t3\t978300760\n", history) ==
        "new 1 (3)");
  CHECK(first_of("test,12,5\n", history) == "test 12 (1)");
  CHECK(first_of("1001,12,5\n1002,7,4\n1003,3,5\n", history) == "1001 12 (3)");
  CHECK(first_of("9,12,5\n3,7,4\n5,3,5\n4,3,5\n", history) == "9 12 (4)");
}

TEST_CASE("columns are not judged by what low ratings leave") {
  CHECK(first_of("1,10,5\n1,11,2\n2,10,5\n2,12,1\n3,10,5\n3,13,2\n4,11,5\n4,12,1\n",
                 {.min_rating = 5}) == "1 10 (4)");
  std::string text;
  for (int k = 0; k < 1500; ++k) {
    const std::string user = std::to_string(k);
    text += user + "," + std::to_string(k % 9) + ",5\n" + user + ",100,1\n";
  }
  CHECK(first_of(text, {.min_rating = 5}) == "0 0 (1500)");
}

TEST_CASE("training on one user, or on one interaction for each, is doubtful") {
  CHECK(warnings_of("7,1\n7,2\n") ==
        "there is only one user (column 0), so there are no others to learn from");
  CHECK(warnings_of("user_id,item_id\na,1\nb,2\n") ==
        "every interaction has a user of its own (column 0 'user_id'), so no user can be both "
        "learned and tested; use the option user if another column has the users");
  std::string rated;  // the rating first
  for (int k = 0; k < 60; ++k) {
    rated += std::to_string(1 + k * k % 5) + "," + std::to_string(k % 7) + "," + std::to_string(k) +
             "\n";
  }
  CHECK(warnings_of(rated).empty());  // repeated: 21 interactions
  for (int k = 0; k < 60; ++k) rated += "4," + std::to_string(k) + ",5\n";
  CHECK(contains(warnings_of(rated), "there are only 4 users (column 0); use the option user"));
  CHECK(warnings_of("7 1\n8 2\n", {.format = Format::adjacency}) ==
        "every interaction has a user of its own, so no user can be both learned and tested");
  CHECK(warnings_of("7,1\n8,2\n8,1\n").empty());
  CHECK(warnings_of("7,1\n").empty());
}

TEST_CASE("numbers in two spellings, and words among names, are said") {
  CHECK(warnings_of("7,1\n7.0,2\n8,1\n8,2\n") ==
        "1 number is spelled in two ways among the users, such as '7' and '7.0', which count as "
        "different users\n");
  CHECK(contains(warnings_of("u\ti\n7\t1234\n7\t1,234\n8\t007\n8\t7\n", {.header = Header::yes}),
                 "2 numbers are spelled in two ways among the items, such as '1234' and '1,234'"));
  CHECK(warnings_of("7,1.5\n7,15\n8,0\n8,10\n8,00x\n").empty());
  std::string numbers = "user,item\n";
  for (int k = 0; k < 100; ++k) numbers += std::to_string(k % 20) + "," + std::to_string(k) + "\n";
  CHECK(warnings_of(numbers).empty());
  CHECK(contains(warnings_of(numbers + "guest,5\nguest,6\n"),
                 "1 user has no digits, such as 'guest', and the others are numbers"));
  CHECK(contains(warnings_of("user,item\nAnn,8\nNone,8\nAnn,9\n"),
                 "there is the user 'None', which may stand for a missing one"));
}
