// SPDX-License-Identifier: BSD-3-Clause
// Files of every format, detected and read.
#include "prism/data/read.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "prism/data/split.hpp"
#include "prism/data/temporal_split.hpp"

using namespace prism;

namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

/// The interactions by their ids.
Names pairs_in_order(const Interactions& data) {
  Names names;
  for (std::size_t k = 0; k < data.size(); ++k) {
    names.emplace_back(data.user_id(data[k].user), data.item_id(data[k].item));
  }
  return names;
}

Interactions read_text(const std::string& text, const ReadOptions& options = {},
                       const std::string& name = "data.txt") {
  return read_interactions(TemporaryFile(text, name).path(), options);
}

std::vector<double> times(const Interactions& data) {
  return {data.times().begin(), data.times().end()};
}

const Names two{{"7", "8"}, {"9", "8"}};

}  // namespace

TEST_CASE("the delimiter is detected") {
  CHECK(pairs_in_order(read_text("7::8::5\n9::8::3\n")) == two);
  CHECK(pairs_in_order(read_text("7\t8\n9\t8\n")) == two);
  CHECK(pairs_in_order(read_text("7,8,5\n9,8,3\n")) == two);
  CHECK(pairs_in_order(read_text("7;8\n9;8\n")) == two);
  CHECK(pairs_in_order(read_text("7|8|1\n9|8|1\n")) == two);
  CHECK(pairs_in_order(read_text("7 8 5\n9 8 3\n", {.format = Format::delimited})) == two);
  CHECK(pairs_in_order(read_text("7  8 5\n 9 8 3 \n", {.delimiter = " "})) == two);
  CHECK(pairs_in_order(read_text("7->8\n9->8\n", {.delimiter = "->"})) == two);
}

TEST_CASE("of several delimiters the one with as many columns in all lines is detected") {
  CHECK(pairs_in_order(read_text("7,8,a|b\n9,8,c\n")) == two);
  CHECK(pairs_in_order(read_text("7;8;1,5\n9;8;2\n")) == two);
}

TEST_CASE("a header is detected, or given by the options") {
  CHECK(pairs_in_order(read_text("userId,movieId,rating\n7,8,5\n9,8,3\n")) == two);
  CHECK(pairs_in_order(read_text("who\twhat\n7\t8\n9\t8\n")) == two);
  CHECK(pairs_in_order(read_text("user,item\nAnn,Help!\n")) == Names{{"Ann", "Help!"}});
  CHECK(pairs_in_order(read_text("key,film,stars\na7,b8,5\n")) == Names{{"a7", "b8"}});
  CHECK(pairs_in_order(read_text("a7,b8\na9,0008\n")) == Names{{"a7", "b8"}, {"a9", "0008"}});
  CHECK(pairs_in_order(read_text("a7,b8,5\na9,0008,3\n")) == Names{{"a7", "b8"}, {"a9", "0008"}});
  CHECK(pairs_in_order(read_text("Ann,Help!\nBob,Help!\n")) ==
        Names{{"Ann", "Help!"}, {"Bob", "Help!"}});
  CHECK(pairs_in_order(read_text("a,b\nAnn,Help!\n", {.header = Header::yes})) ==
        Names{{"Ann", "Help!"}});
  CHECK(pairs_in_order(read_text("a,b\n7,8\n", {.header = Header::no})) ==
        Names{{"a", "b"}, {"7", "8"}});
}

TEST_CASE("columns are chosen by position or by name") {
  const std::string text = "stars,when,film,person\n5,3,8,7\n1,4,8,9\n";
  const ReadOptions by_name{.user = "person", .item = "film", .rating = "stars", .time = "when"};
  CHECK(pairs_in_order(read_text(text, by_name)) == two);
  CHECK(times(read_text(text, by_name)) == std::vector<double>{3, 4});
  ReadOptions options{.user = 3, .item = 2, .rating = 0, .time = 1, .min_rating = 3};
  CHECK(pairs_in_order(read_text(text, options)) == Names{{"7", "8"}});
  options.rating = "stars";
  CHECK(pairs_in_order(read_text(text, options)) == Names{{"7", "8"}});
  CHECK(read_text(text, {.user = 3, .item = 2}).times().empty());  // the fourth column is the
                                                                   // users'
  // With columns chosen, words between spaces are read as columns.
  CHECK(pairs_in_order(read_text("5 7 8\n5 9 8\n", {.user = 1, .item = 2})) == two);
}

TEST_CASE("ratings are read only with min_rating") {
  CHECK(pairs_in_order(read_text("7\t8\tgood\n9\t8\tbad\n")) == two);
  CHECK(pairs_in_order(read_text("7,8,3\n7,9,2.5\n", {.min_rating = 3})) == Names{{"7", "8"}});
  const Interactions some = read_text("1,5,1\n7,8, 4.0 \n9,8,-1e1\n", {.min_rating = 0.5});
  CHECK(pairs_in_order(some) == Names{{"1", "5"}, {"7", "8"}});
  const Interactions less = read_text("1,5,1\n7,8,4\n", {.min_rating = 3});
  CHECK(less.users() == 1);  // a user without remaining interactions has no row
  CHECK(less.find_item("5") == absent);
}

TEST_CASE("times are read from the last of four columns, or from the column in the options") {
  CHECK(times(read_text("7\t8\t3\t881250949\n9\t8\t1\t881250949.5\n")) ==
        std::vector<double>{881250949, 881250949.5});
  CHECK(read_text("7\t8\t3\t881250949000\n").times()[0] == 881250949000);  // milliseconds
  CHECK(read_text("7,8,3,1997-12-04\n").times()[0] > 8e8);
  // Of four columns the third has the times if only that has dates or seconds since 1970.
  CHECK(read_text("7,8,881250949,3\n9,8,881250950,4\n").times()[1] == 881250950);
  CHECK(read_text("7,8,1997-12-04,3\n9,8,1997-12-05,4\n").times()[0] > 8e8);
  CHECK(read_text("7,8,881250949,881250951\n").times()[0] == 881250951);
  CHECK(read_text("7\t8\t1\n9\t8\t0\n").times().empty());
  CHECK(read_text("7,8,3,1,x\n").times().empty());
  CHECK(read_text("7,8,3,lovely\n", {.time = no_column}).times().empty());
  CHECK(times(read_text("7,8,3\n9,8,5\n", {.time = 2})) == std::vector<double>{3, 5});
}

TEST_CASE("by their position, only plausible numbers are times") {
  CHECK(read_text("7,8,2,3\n").times().empty());
  CHECK(read_text("a\tx\tbetty blowtorch\t2137\na\ty\tweird\t1099\n").times().empty());
  CHECK(read_text("7,8,5,99\n7,9,5,881250949\n7,4,5,3\n").times().empty());
  CHECK(read_text("7,8,5,20200705\n").times().empty());
  CHECK(times(read_text("7,8,2,3\n", {.time = 3})) == std::vector<double>{3});
  CHECK(times(read_text("user,item,plays,time\n7,8,2,3\n")) == std::vector<double>{3});
  CHECK_THROWS_WITH_AS((void)temporal_user_split(read_text("7,8,2,3\n7,9,2,4\n")),
                       "data: has no times, so its interactions cannot be ordered; choose the "
                       "column of times with the option time, or use file_order",
                       ArgumentError);
  // A time that is missing in the first line, too, is none of another column.
  CHECK_THROWS_AS((void)read_text("7,8,2,\n7,9,2,881250949\n"), DataError);
  CHECK(read_text("7,8,2,\n7,9,2,881250949\n", {.drop_invalid = true}).size() == 1);
}

TEST_CASE("the file's order can stand for times, in columns and in adjacency lists") {
  const ReadOptions options{.time = file_order};
  CHECK(times(read_text("7,8\n9,8\n7,5\n7,8\n", options)) == std::vector<double>{0, 2, 1});
  const Interactions lists = read_text("0 7 5 6\n1 5\n", options);
  CHECK(times(lists) == std::vector<double>{0, 1, 2, 3});
  CHECK(lists.item_id(lists[1].item) == "5");
  const Split split = temporal_user_split(lists, {.validation = 0, .test = 0.34});
  CHECK(split.test.size() == 1);
  CHECK(split.test.item_id(split.test[0].item) == "6");
  CHECK(describe(*lists.read_summary()).find("spaces, in chronological order; 2 users") !=
        std::string::npos);
}

TEST_CASE("adjacency lists order each user's interactions, not those of different users") {
  const Interactions lists = read_text("0 7 5 6\n1 5 7\n", {.time = file_order});
  const std::string problem =
      ": lists the interactions of one user after another, so their order says nothing about those "
      "of different users; split by the time of each user";
  CHECK_THROWS_WITH_AS((void)temporal_global_split(lists), ("data" + problem).c_str(),
                       ArgumentError);
  const Interactions none(lists.user_ids(), lists.item_ids(), {});
  CHECK_THROWS_WITH_AS((void)given_split(lists, none, {.method = SplitMethod::temporal_global}),
                       ("train" + problem).c_str(), ArgumentError);
  CHECK(given_split(lists, none, {.method = SplitMethod::leave_last_out}).validation.size() == 2);
  std::string sorted;  // by user, two items each
  for (int user = 0; user < 10; ++user) {
    for (const char* item : {",5\n", ",6\n"}) sorted += std::to_string(user) + item;
  }
  CHECK_THROWS_AS((void)temporal_global_split(read_text(sorted, {.time = file_order})),
                  ArgumentError);
  CHECK_NOTHROW((void)temporal_global_split(read_text(sorted + "0,7\n", {.time = file_order})));
  const Interactions columns = read_text("7,8\n9,8\n7,5\n", {.time = file_order});
  CHECK(temporal_global_split(columns, {.validation = 0, .test = 0.34}).test.size() == 1);
}

TEST_CASE("adjacency lists name a user and its items") {
  const Interactions data = read_text("0 5 6 7 8\n1 6\n2\n3 5 7 \n");
  CHECK(data.users() == 4);
  CHECK(data.items() == 4);
  CHECK(data.size() == 7);
  CHECK(data.user_degree()[2] == 0);
  CHECK(data.contains(data.find_user("3"), data.find_item("7")));
  CHECK(pairs_in_order(read_text("2\n7 8\n9 8\n", {}, "train.txt")) == two);
  CHECK(pairs_in_order(read_text("7 8\n9 8\n")) == two);  // the same in both formats
  CHECK(read_text("7 8\n  \n9 8\n", {.format = Format::adjacency}).users() == 2);
  CHECK(pairs_in_order(read_text("7 8 9\n", {.format = Format::adjacency})) ==
        Names{{"7", "8"}, {"7", "9"}});
}

TEST_CASE("known names in a header determine the columns, in any order") {
  CHECK(pairs_in_order(read_text("rating,item_id,User_ID\n5,8,7\n1,8,9\n")) == two);
  CHECK(pairs_in_order(read_text(",userId,movieId,rating\n0,7,8,5\n1,9,8,1\n")) == two);
  CHECK(pairs_in_order(read_text("rating,item_id,user_id\n5,8,7\n1,8,9\n", {.min_rating = 2})) ==
        Names{{"7", "8"}});
  CHECK(times(read_text("time,user,item\n3,7,8\n4,9,8\n")) == std::vector<double>{3, 4});
  CHECK(pairs_in_order(read_text("user,what\n7,8\n9,8\n")) == two);  // the item by its position
}

TEST_CASE("a fourth column is a time where lines have one there") {
  CHECK(read_text("7,8,5,881250949\n9,8,1,881250950\n").times().size() == 2);
  CHECK(times(read_text("7,8,5,noon\n9,8,1,late\n")).empty());
}

TEST_CASE("RecBole's columns are found by the names in its header") {
  const std::string text =
      "item_id:token\trating:float\ttimestamp:float\tuser_id:token\n"
      "8\t5\t3\t7\n8\t1\t4\t9\n";
  CHECK(pairs_in_order(read_text(text)) == two);
  CHECK(times(read_text(text)) == std::vector<double>{3, 4});
  CHECK(pairs_in_order(read_text(text, {.min_rating = 2})) == Names{{"7", "8"}});
  CHECK(pairs_in_order(read_text("user_id:token\titem_id:token\n7\t8\n9\t8\n", {}, "x.inter")) ==
        two);
  CHECK(pairs_in_order(read_text("u:token\ti:token\n7\t8\n9\t8\n", {.user = "u", .item = "i"})) ==
        two);
}

TEST_CASE("commas in quotes are part of the id") {
  CHECK(pairs_in_order(
            read_text("\"Doe, Jane\",\"\"\"Heroes\"\"\"\nx,\"\"\"\"\n", {.header = Header::no})) ==
        Names{{"Doe, Jane", "\"Heroes\""}, {"x", "\""}});
  CHECK(pairs_in_order(read_text("\"7\";\"8\";\"0\"\n\"9\";\"8\";\"5\"\n")) == two);
  CHECK(pairs_in_order(read_text("7\t\"8\n9\t\"8\n")) == Names{{"7", "\"8"}, {"9", "\"8"}});
}

TEST_CASE("a comment ends with its line, whatever quotes it has") {
  CHECK(pairs_in_order(read_text("# by hand\nuser,item\n7,8\n#5,\"6\n9,8\n")) == two);
  CHECK(pairs_in_order(read_text("7,8\n#5,\"6\n9,8\n", {.comment = "#"})) == two);
  CHECK(pairs_in_order(read_text("7,8\n#5,\"6\n9,\"8\"\n", {.comment = "#"})) == two);
}

TEST_CASE("ids may hold spaces, any script, and more digits than a number") {
  const std::string huge(300, '9');
  const Interactions data =
      read_text("Ann Lee\tŻółć\n" + huge + "\t18446744073709551616\n0" + huge + "\t日本\n",
                {.header = Header::no});  // otherwise words above numbers would be a header
  CHECK(pairs_in_order(data) ==
        Names{{"Ann Lee", "Żółć"}, {huge, "18446744073709551616"}, {"0" + huge, "日本"}});
}

TEST_CASE("line endings, a byte order mark and blank lines do not matter") {
  CHECK(pairs_in_order(read_text("7,8\r\n9,8\r\n")) == two);
  CHECK(pairs_in_order(read_text("7,8\n9,8")) == two);
  CHECK(pairs_in_order(read_text("7,8\r\n9,8\r")) == two);
  CHECK(pairs_in_order(read_text("\xEF\xBB\xBF"
                                 "7,8\n9,8\n\n\n  \n")) == two);
  CHECK(pairs_in_order(read_text("\n\n7,8\n\n9,8\n")) == two);
  CHECK(read_text("7 1 2 3 4\r\n9 1\r\n").find_item("4") != absent);
}

TEST_CASE("lines may be long, and many") {
  std::string text = "0";
  for (int item = 0; item < 100'000; ++item) text.append(" ").append(std::to_string(item));
  text += "\n1 99999\n";
  const Interactions wide = read_text(text);
  CHECK(wide.items() == 100'000);
  CHECK(wide.user_degree()[0] == 100'000);
  CHECK(wide.user_degree()[1] == 1);

  std::string tall;
  for (int k = 0; k < 100'000; ++k)
    tall += std::to_string(k % 977) + "," + std::to_string(k) + "\n";
  const Interactions data = read_text(tall);
  CHECK(data.users() == 977);
  CHECK(data.size() == 100'000);
  CHECK(data.contains(data.find_user(std::to_string(99'999 % 977)), data.find_item("99999")));
}

TEST_CASE("one item, and a user with all items") {
  const Interactions data = read_text("a,x\nb,x\n");
  CHECK(data.items() == 1);
  CHECK(data.users() == 2);
  CHECK(read_text("a,x\na,y\na,z\n").items_of(0).size() == 3);
}

TEST_CASE("a repeated pair in a file counts once, at its earliest time") {
  const Interactions data = read_text("7,8,5,881250920\n9,8,5,881250901\n7,8,1,881250910\n");
  CHECK(pairs_in_order(data) == two);
  CHECK(times(data) == std::vector<double>{881250910, 881250901});
}

TEST_CASE("files read together share users, items and ids") {
  const TemporaryFile train("0 10 11 12 13\n1 10\n"), test("2 14\n0 14 11\n");
  const TrainTest data = read_train_test(train.path(), test.path(), {.format = Format::adjacency});
  CHECK(data.train.users() == 3);
  CHECK(data.test.users() == 3);
  CHECK(data.train.items() == 5);
  CHECK(data.train.user_ids() == data.test.user_ids());
  CHECK(data.train.item_ids() == data.test.item_ids());
  CHECK(data.train.size() == 5);
  CHECK(pairs_in_order(data.test) == Names{{"0", "11"}, {"0", "14"}, {"2", "14"}});
  CHECK(read_parts({train.path(), test.path(), train.path()}).size() == 3);
}

TEST_CASE("one file with a column for the part makes train and test") {
  const TemporaryFile file("7\t8\t0\n7\t9\t1\n9\t8\t0\n");
  const TrainTest data = read_train_test(file.path(), TestColumn{});
  CHECK(pairs_in_order(data.train) == two);
  CHECK(pairs_in_order(data.test) == Names{{"7", "9"}});
  CHECK(data.train.item_ids() == data.test.item_ids());
  const TemporaryFile named_parts("user,item,part\n7,8,train\n7,9,test\n9,8,train\n");
  CHECK(read_train_test(named_parts.path(), TestColumn{"part", "test"}).test.size() == 1);
}

TEST_CASE("every format has a name that is read back") {
  for (const auto& [format, name] : format_names) {
    CHECK(name_of(format) == name);
    CHECK(parse_format(name) == format);
  }
}

#if defined(PRISM_HAS_ZLIB)
TEST_CASE("a gzip file is read directly, whatever its name") {
  CHECK(pairs_in_order(read_text(gzipped("7,8\n9,8\n"), {}, "data.csv")) == two);
  CHECK(pairs_in_order(read_text(gzipped("user_id:token\titem_id:token\n7\t8\n9\t8"), {},
                                 "x.inter.gz")) == two);
  CHECK(pairs_in_order(read_text(gzipped("7,8\n") + gzipped("9,8\n"))) ==
        two);  // as `cat` joins them
  std::string tall;
  for (int k = 0; k < 200'000; ++k) tall += std::to_string(k) + "\t" + std::to_string(k) + "\n";
  CHECK(read_text(gzipped(tall)).size() == 200'000);
}
#endif
