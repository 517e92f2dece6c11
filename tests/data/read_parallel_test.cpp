// SPDX-License-Identifier: BSD-3-Clause
// Reading gives the same result for any chunks and threads, and reports what it has found.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "prism/core/parallel.hpp"
#include "prism/data/parts_reader.hpp"
#include "prism/data/read.hpp"
#include "support/contains.hpp"

using namespace prism;
using test::contains;

namespace {

/// The complete result of reading as text, or the error.
std::string outcome(const std::filesystem::path& path, const ReadOptions& options,
                    const detail::ReadSizes& sizes) {
  try {
    detail::PartsReader reader(options, sizes);
    detail::Part part;
    reader.read(path, part);
    const Interactions data = reader.to_interactions(std::move(part));
    std::string text = describe(*data.read_summary());
    for (std::size_t k = 0; k < data.size(); ++k) {
      text += "\n" + std::string(data.user_id(data[k].user)) + " " +
              std::string(data.item_id(data[k].item)) + " " + std::to_string(data[k].user) + " " +
              std::to_string(data[k].item);
      if (!data.times().empty()) text += " " + format_number(data.times()[k]);
    }
    return text;
  } catch (const DataError& error) {
    return error.what();
  }
}

/// Checks that any chunks and threads give the result of one chunk on one thread; returns it.
std::string outcome_of(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFile file(text);
  const std::size_t block = std::size_t{2} << 20;
  std::string one;
  {
    const ThreadLimit limit(1);
    one = outcome(file.path(), options,
                  {.block = std::size_t{64} << 20, .chunk = std::size_t{64} << 20});
  }
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{100}, block}) {
    if (chunk < 100 && text.size() > 100'000) continue;
    for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
      const ThreadLimit limit(threads);
      CHECK(outcome(file.path(), options, {.block = block, .chunk = chunk}) == one);
    }
  }
  return one;
}

}  // namespace

TEST_CASE("the order of a file goes on from one chunk to the next") {
  std::string text;
  for (int k = 0; k < 500; ++k) text += std::to_string(k % 7) + "," + std::to_string(k) + "\n";
  const std::string outcome = outcome_of(text, {.time = file_order});
  for (const int k : {0, 1, 250, 499}) {  // the item is the line
    CHECK(contains(outcome, "\n" + std::to_string(k % 7) + " " + std::to_string(k) + " " +
                                std::to_string(k % 7) + " " + std::to_string(k) + " " +
                                std::to_string(k)));
  }
}

TEST_CASE("chunks and threads do not change what is read") {
  CHECK(contains(outcome_of("7,8,5,3\n9,8,1,4\n7,8,2,1\nx,y,5,9\n", {.min_rating = 2}),
                 "2 users, 2 items, 2 interactions; left out: 1 rated below 2, 1 repeated"));
  CHECK(contains(outcome_of("0 5 6 7 8\n1 6\n2\n3 5 7 \n"),
                 "adjacency lists of ids separated by spaces"));
  CHECK(contains(outcome_of("user,item,text\n7,8,\"a\n,\"\"b\n\"\n\n9,8,x\nuser,item,text\n"),
                 "2 users, 1 item, 2 interactions; left out: 1 repeated header"));
  const std::string mark = "\xEF\xBB\xBF";
  const std::string first = mark + "user,item,text\n7,8,x\n";
  const std::string second = mark + "\"a\n,\",8,\"\n" + mark + "b\"\n";
  CHECK(contains(outcome_of(first + first + mark + "\"9\",8,\"\n" + mark + "b\"\n"),
                 "2 users, 1 item, 2 interactions; left out: 1 repeated, 1 repeated header"));
  CHECK(contains(outcome_of(first + second), ":3: the user contains a line break"));
  std::string tall;
  const std::string padding(100, 'u');
  for (int k = 0; k < 30'000; ++k) {
    tall +=
        padding + std::to_string(k * 7919 % 1543) + "\t" + std::to_string(k * 4729 % 3001) + "\n";
  }
  CHECK(tall.size() > (std::size_t{3} << 20));  // more than a block
  CHECK(contains(outcome_of(tall), "1543 users, 3001 items"));
}

TEST_CASE("chunks and threads do not change the line of an error") {
  std::string tall;
  const std::string padding(100, 'u');
  for (int k = 1; k <= 40'000; ++k) {
    tall += padding + std::to_string(k) + (k % 15'000 == 0 ? "\n" : ",8\n");
  }
  CHECK(contains(outcome_of(tall), ":15000: has 1 columns, but the first line has 2"));
  CHECK(contains(outcome_of("7,8,\"a\n\n\"\n9,8,x\n,8,x\n10,,x\n"), ":5: the user is empty"));
}

TEST_CASE("what was found is said in one line") {
  const TemporaryFile file(
      "# by hand\nuser_id,movieId,stars,date\n7,8,5,2011-03-14\n9,8,1,2011-03-14\n");
  const Interactions data = read_interactions(file.path(), {.min_rating = 3});
  CHECK(describe(*data.read_summary()) ==
        file.path().string() +
            ": columns separated by ',', header, user in column 0 'user_id', item in 1 'movieId', "
            "rating in 2 'stars', time in 3 'date' (dates); 1 user, 1 item, 1 interaction; left "
            "out: 1 rated below 3, 1 comment line");
  CHECK(data.times()[0] == 1300060800);
  CHECK(Interactions(1, 1, {}).read_summary() == nullptr);
}

TEST_CASE("counts of several are said in the plural, and formats by their separators") {
  CHECK(contains(outcome_of("# one\n# two\nuser,item\n7,8\n7,9\nuser,item\nuser,item\n"),
                 "1 user, 2 items, 2 interactions; left out: 2 comment lines, 2 repeated headers"));
  CHECK(contains(outcome_of("user_id:token\titem_id:token\n7\t8\n"),
                 ": RecBole's columns separated by tabs, header, "));
  CHECK(contains(outcome_of("7 8 9\n8 9\n", {.time = file_order}),
                 ": adjacency lists of ids separated by spaces, in chronological order; 2 users"));
}

TEST_CASE("dates are seconds since 1970") {
  CHECK(detail::parse_date("1970-01-01") == 0);
  CHECK(detail::parse_date("1969-12-31T23:59:59Z") == -1);
  CHECK(detail::parse_date("2000-02-29 12:00:00.5") == 951825600.5);
  CHECK(detail::parse_date("2011-03-14T10:26:53+01:00") == 1300094813);
  CHECK(detail::parse_date("2011-03-14 09:26:53 UTC") == 1300094813);
  for (const char* const text :
       {"", "2011-02-29", "2011-13-01", "2011-3-1", "2011-03-14T", "14.03.11", "2011-03-14T24:00",
        "2011-03-14T10:26+1", "2011-03-14x"}) {
    CAPTURE(text);
    CHECK_FALSE(detail::parse_date(text).has_value());
  }
}

TEST_CASE("of a test set it is said what the training set has, and nothing is an error") {
  const TemporaryFile train("7,1\n8,2\n"), test("7,2\n8,3\n9,1\n"), other("07,1\n08,2\n");
  const TrainTest data = read_train_test(train.path(), test.path());
  CHECK(data.test.size() == 3);
  CHECK(data.test.read_summary()->not_in_training == 2);
  CHECK(contains(describe(*data.test.read_summary()),
                 "; 1 of users and items of the training set, 2 of others"));
  CHECK_FALSE(data.train.read_summary()->not_in_training.has_value());
  CHECK_THROWS_WITH_AS(
      (void)read_train_test(train.path(), other.path()),
      (other.path().string() + ": has no interaction whose user and item are both in " +
       train.path().string() +
       ": its ids are such as '07' and '1', those of the other file such as "
       "'7' and '1'")
          .c_str(),
      DataError);
}

TEST_CASE("a pipe is read as a file is") {
  const TemporaryFile file("");
  const std::filesystem::path pipe = file.folder() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "user,item\n7,8\n9,8\n"; });
  const Interactions data = read_interactions(pipe);
  writer.join();
  CHECK(data.size() == 2);
}

#if defined(PRISM_HAS_ZLIB)
TEST_CASE("gzip files put together are read as one, byte order marks and headers left out") {
  const std::string first = gzipped("\xEF\xBB\xBFuser,item\n7,8\n");
  const std::string second = gzipped("\xEF\xBB\xBFuser,item\n9,8\n");
  CHECK(contains(outcome_of(first + second),
                 "2 users, 1 item, 2 interactions; left out: 1 repeated header"));
}

TEST_CASE("a gzip file within a gzip file is an error that says so") {
  CHECK(contains(outcome_of(gzipped(gzipped("7,8\n"))),
                 ": is a gzip file within a gzip file; unpack it first"));
}

TEST_CASE("a gzip file whose second member is damaged is an error, wherever it is") {
  const std::string first = gzipped("7,8\n"), second = gzipped("9,8\n");
  for (std::size_t k = 0; k < 4; ++k) {
    std::string bytes = first + second;
    bytes[first.size() + k] = static_cast<char>(bytes[first.size() + k] ^ 0x40);
    CAPTURE(k);
    CHECK(contains(outcome_of(bytes), "is a corrupt gzip file: "));
  }
  CHECK(contains(outcome_of(first + "more"), "it has a member that is followed by other data"));
  CHECK(contains(outcome_of(first + std::string(512, '\0')), "1 interaction;"));  // as on tapes
}
#endif
