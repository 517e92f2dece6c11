// SPDX-License-Identifier: BSD-3-Clause
// Recommendations for one user, and embeddings for other programs.
#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"
#include "serve/model_folders.hpp"
#include "support/error_of.hpp"
#include "support/npy.hpp"

using namespace prism;
using test::text_of;

namespace {

namespace fs = std::filesystem;

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

/// The flush to disk that fails, counted from the next one; 0 for none.
int failing_flush = 0;

Interactions part(Index users, Index items, const std::vector<Interaction>& pairs) {
  return {users, items, pairs};
}

}  // namespace

/// Takes the place of the C library's fsync() in this program: no file system fails on request.
extern "C" int fsync(int file) {
  if (failing_flush > 0 && --failing_flush == 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

TEST_CASE("recommend leaves out seen items, and returns fewer where no more remain") {
  const Interactions train = part(2, 3, {{0, 0}, {0, 1}, {0, 2}, {1, 2}});
  const Recommender<MF<4>, BPR> model(train);
  CHECK(recommend(model, 0, 5).empty());
  CHECK(recommend(model, 0, 5, {.exclude_seen = false}).size() == 3);
  for (const auto& scored : recommend(model, 1, 5)) CHECK(scored.item != 2);
  CHECK(recommend(model, 1, 5).size() == 2);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, 2, 5)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, 0, 0)), ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(similar_items(model, 3, 5)), ArgumentError);
}

TEST_CASE("users and items can be named by their ids") {
  const Recommender<MF<4>, BPR> model(
      read_interactions(TemporaryFile("ada\tdune\nada\temma\nben\tulysses\nben\tdune\n").path()));
  const Interactions& train = model.train();
  const auto same = [](const auto& one, const auto& other) {
    return std::ranges::equal(one, other, [](const auto& a, const auto& b) {
      return a.item == b.item && a.score == b.score;
    });
  };
  CHECK(same(recommend(model, "ben", 2), recommend(model, train.find_user("ben"), 2)));
  CHECK(recommend(model, "ben", 3, {.exclude_seen = false}).size() == 3);
  CHECK(same(similar_items(model, "emma", 2), similar_items(model, train.find_item("emma"), 2)));
  CHECK_THROWS_WITH_AS(static_cast<void>(recommend(model, "eve", 2)),
                       "user: must be an id of the training set, not 'eve'", ArgumentError);
  CHECK_THROWS_WITH_AS(static_cast<void>(similar_items(model, "ada", 2)),
                       "item: must be an id of the training set, not 'ada'", ArgumentError);
}

TEST_CASE("recommend refuses users that `seen` does not have, unless it leaves nothing out") {
  const Interactions train = part(4, 3, {{0, 0}, {3, 1}});
  const Recommender<MF<4>, BPR> model(train);
  const Scorer<float> scorer = model.scorer();
  const Interactions fewer = part(2, 3, {{1, 2}});
  const std::vector<Index> users{1, 2};
  CHECK(recommend(scorer, fewer, 1, 3).size() == 2);
  CHECK_THROWS_WITH_AS(static_cast<void>(recommend(scorer, fewer, 2, 3)),
                       "user: must be below 2, the number of users in `seen`, unless exclude_seen "
                       "is false, not 2",
                       ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(recommend(scorer, fewer, users, 3)), ArgumentError);
  CHECK(recommend(scorer, fewer, 2, 3, {.exclude_seen = false}).size() == 3);
  CHECK(recommend(scorer, fewer, users, 3, {.exclude_seen = false})[1].size() == 3);
}

TEST_CASE("users that training did not see get the most popular items") {
  const Interactions train = part(4, 5, {{0, 0}, {2, 3}, {2, 1}, {0, 3}});
  const Recommender<MF<4>, BPR> model(train);
  const auto popular = recommend(model, 1, 3);
  REQUIRE(popular.size() == 3);
  CHECK(popular[0] == ScoredItem<float>{3, 2});
  CHECK(popular[1] == ScoredItem<float>{0, 1});
  CHECK(popular[2] == ScoredItem<float>{1, 1});
  CHECK(recommend(model, 1, 3, {.similarity = Similarity::cosine}) == popular);
  const std::vector<Index> users{3, 2, 1};
  const auto lists = recommend(model, users, 3);
  CHECK(lists[0] == popular);
  CHECK(lists[2] == popular);
  CHECK(lists[1] == recommend(model.scorer(), train, 2, 3));
  CHECK(recommend(model, 1, 3, {.untrained = Untrained::rows}) ==
        recommend(model.scorer(), train, 1, 3));
  CHECK_THROWS_AS(static_cast<void>(recommend(model, 1, 3, {.untrained = Untrained{2}})),
                  ArgumentError);
}

TEST_CASE("recommend for some users gives each one's list, in their order") {
  const Interactions train = synthetic_interactions({.users = 150, .items = 200});
  const Recommender<MF<8>, BPR> model(train);
  const std::vector<Index> users{149, 3, 3, 0};
  for (const bool exclude_seen : {true, false}) {
    const auto lists = recommend(model, users, 7, {.exclude_seen = exclude_seen});
    REQUIRE(lists.size() == users.size());
    for (std::size_t p = 0; p < users.size(); ++p) {
      CHECK(lists[p] == recommend(model, users[p], 7, {.exclude_seen = exclude_seen}));
    }
  }
  CHECK(recommend(model, std::span(users).first(0), 7).empty());
  CHECK(recommend(model, {149, 3}, 7) == recommend(model, std::span(users).first(2), 7));
  CHECK(recommend(serial, model, users, 7)[0].size() == 7);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, std::vector<Index>{0, 150}, 7)),
                  ArgumentError);
  CHECK_THROWS_AS(static_cast<void>(recommend(model, users, 0)), ArgumentError);
}

TEST_CASE("no items are similar to one whose row has no direction") {
  Recommender<MF<2>, BPR> model(part(1, 4, {{0, 0}}));
  auto& items = model.weights().items;
  items(1, 0) = items(1, 1) = 0;
  items(2, 0) = std::numeric_limits<float>::quiet_NaN();
  CHECK(similar_items(model, 1, 3).empty());
  CHECK(similar_items(model, 2, 3).empty());
  CHECK(similar_items(model, 0, 3).size() == 2);  // not the one that is no number
  const float odd[] = {std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::denorm_min()};
  for (const float number : odd) {
    CAPTURE(number);
    items(1, 0) = number;
    CHECK(similar_items(model, 1, 3).empty());
    const auto lists = similar_items(model, {1, 0, 2}, 3);
    CHECK(lists[0].empty());
    CHECK_FALSE(lists[1].empty());
    CHECK(lists[2].empty());
  }
}

TEST_CASE("similar items are ordered by cosine, without the item itself") {
  const Interactions train = part(1, 4, {{0, 0}});
  Recommender<MF<2>, BPR> model(train);
  auto& items = model.weights().items;
  const float angles[] = {0.0f, 0.1f, 2.0f, 0.05f};
  for (std::size_t i = 0; i < 4; ++i) {
    items(i, 0) = static_cast<float>(i + 1) * std::cos(angles[i]);
    items(i, 1) = static_cast<float>(i + 1) * std::sin(angles[i]);
  }
  const auto similar = similar_items(model, 0, 3);
  REQUIRE(similar.size() == 3);
  CHECK(similar[0].item == 3);
  CHECK(similar[1].item == 1);
  CHECK(similar[2].item == 2);
  CHECK(similar[1].score == doctest::Approx(std::cos(0.1)).epsilon(1e-5));
}

TEST_CASE("similar items of several items are each one's, in their order") {
  const Interactions train = synthetic_interactions({.users = 20, .items = 700});
  const Recommender<MF<8>, BPR> model(train);
  const Scorer<float> scorer = model.scorer();
  const Rows<const float> rows = scorer.output.items();
  for (const std::size_t count : {std::size_t{3}, std::size_t{600}}) {  // 600 are pruned
    std::vector<Index> items(count);
    for (std::size_t p = 0; p < count; ++p) items[p] = static_cast<Index>(count - 1 - p);
    const auto lists = similar_items(model, items, 5);
    REQUIRE(lists.size() == count);
    for (std::size_t p = 0; p < count; ++p) {
      REQUIRE(lists[p] == similar_items(model, items[p], 5));
      std::vector<std::pair<double, Index>> expected;
      for (Index other = 0; other < train.items(); ++other) {
        if (other == items[p]) continue;
        const double dots[] = {dot(rows[items[p]], rows[other], 8),
                               norm(rows[items[p]], 8) * norm(rows[other], 8)};
        expected.emplace_back(-dots[0] / dots[1], other);
      }
      std::ranges::partial_sort(expected, expected.begin() + 5);
      for (std::size_t j = 0; j < 5; ++j) {
        CHECK(lists[p][j].score == doctest::Approx(-expected[j].first).epsilon(1e-5));
      }
    }
  }
  CHECK(similar_items(model, {4, 2}, 3).size() == 2);
  CHECK(similar_items(scorer, std::vector<Index>{}, 3).empty());
  CHECK_THROWS_WITH_AS(static_cast<void>(similar_items(model, {4, 700}, 3)),
                       "item: must be below 700, not 700", ArgumentError);
}

TEST_CASE("an item with many of its direction is not among its own similar items") {
  Recommender<MF<2>, BPR> model(part(1, 5, {{0, 0}}));
  for (std::size_t i = 0; i < 5; ++i) {
    model.weights().items(i, 0) = static_cast<float>(i + 1);
    model.weights().items(i, 1) = static_cast<float>(2 * (i + 1));
  }
  const auto similar = similar_items(model, 4, 2);
  REQUIRE(similar.size() == 2);
  CHECK(similar[0].item != 4);
  CHECK(similar[1].item != 4);
  CHECK(similar_items(model, 1, 10).size() == 4);
}

TEST_CASE("saved embeddings can be read back") {
  const TemporaryFile place("");
  const fs::path folder = place.folder() / "model";
  const Interactions train = part(3, 2, {{0, 0}, {2, 1}});
  const Recommender<MF<5>, BPR, None, Xavier, Adam, UniformNegatives, double> model(train);
  save_embeddings(model, folder);
  save_embeddings(model, folder);  // again, replacing the files
  const test::Array users = test::read_npy(folder / "users.npy");
  CHECK(users.shape == std::vector<std::size_t>{3, 5});
  CHECK(std::ranges::equal(users.values, model.users()));
  CHECK(text_of(folder / "item_ids.txt") == "0\n1\n");
  CHECK(files_in(folder) == 4);
}

TEST_CASE("saved embeddings are NumPy's format to the last byte") {
  const TemporaryFile place("");
  const Recommender<MF<2>, BPR> model(part(3, 2, {{0, 0}, {2, 1}}));  // of float
  save_embeddings(model, place.folder());
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  expected.resize(127, ' ');
  expected += '\n';
  expected.append(reinterpret_cast<const char*>(model.users().data()), 6 * sizeof(float));
  CHECK(text_of(place.folder() / "users.npy") == expected);
}

TEST_CASE("if saving fails, existing files are kept and no partial ones remain") {
  const TemporaryFile place("not a folder");
  const fs::path folder = place.folder() / "model";
  const Recommender<MF<5>, BPR> model(part(3, 2, {{0, 0}, {2, 1}}));
  CHECK_THROWS_AS(save_embeddings(model, place.path()), DataError);
  CHECK(text_of(place.path()) == "not a folder");

  save_embeddings(model, folder);
  const std::string before = text_of(folder / "users.npy");
  const Recommender<MF<5>, BPR> other(part(3, 2, {{0, 0}, {2, 1}}), {.seed = 1});
  fs::remove(folder / "item_ids.txt");
  fs::create_directory(folder / "item_ids.txt");
  CHECK_THROWS_AS(save_embeddings(other, folder), DataError);
  CHECK(text_of(folder / "users.npy") == before);
  CHECK(files_in(folder) == 4);
}

TEST_CASE(
    "saved embeddings have ids with line breaks, tabs and backslashes as saved models have them") {
  const TemporaryFile place("");
  const auto users = std::make_shared<Ids>();
  for (const char* id : {"two\nlines", "two\\nlines", "plain"}) users->intern(id);
  const auto items = std::make_shared<Ids>();
  for (const char* id : {"\r", "\t", "x\\"}) items->intern(id);
  const std::vector<Interaction> pairs{{0, 0}, {1, 1}, {2, 2}};
  const Recommender<MF<5>, BPR> model(Interactions(users, items, pairs));
  save_embeddings(model, place.folder() / "embeddings");
  save_model(model, place.folder() / "model");
  const auto written = [&](const char* folder, const char* file) {
    return text_of(place.folder() / folder / file);
  };
  CHECK(written("embeddings", "user_ids.txt") == "two\\nlines\ntwo\\\\nlines\nplain\n");
  CHECK(written("embeddings", "item_ids.txt") == "\\r\n\\t\nx\\\\\n");
  for (const char* file : {"user_ids.txt", "item_ids.txt"}) {
    CHECK(written("embeddings", file) == written("model", file));
  }
}

TEST_CASE("texts of any bytes are one line, without tabs, and read back") {
  for (const std::string_view text : {"", "plain", "a\tb\n", "\\n", "\r\\", "\\\\t"}) {
    const std::string line = detail::escaped_line(text);
    CHECK(line.find_first_of("\n\r\t") == std::string::npos);
    CHECK(detail::unescaped_line(line) == text);
  }
  CHECK(detail::escaped_line("a\tb\n\r\\") == "a\\tb\\n\\r\\\\");
  for (const std::string_view line : {"\\", "a\\x", "\\\\\\"}) CHECK(!detail::unescaped_line(line));
}

TEST_CASE("staged files follow links, and replace only regular files") {
  const TemporaryFile place("old", "real.txt");
  const fs::path folder = place.folder();
  fs::create_symlink("real.txt", folder / "link.txt");
  {
    detail::StagedFiles files(folder);
    files.write("link.txt", "whole");
    CHECK(text_of(place.path()) == "old");  // not before publish()
    files.publish();
  }
  CHECK(fs::is_symlink(folder / "link.txt"));
  CHECK(text_of(place.path()) == "whole");
  fs::create_symlink("/dev/null", folder / "device");
  detail::StagedFiles files(folder);
  CHECK_THROWS_AS(files.write("device", "whole"), DataError);
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("if one of several files cannot be flushed to disk, none is replaced") {
  const TemporaryFile place("old", "first.txt");
  const fs::path folder = place.folder();
  const std::vector<std::string> names{"first.txt", "second.txt"};
  for (const int failing : {1, 2}) {
    CAPTURE(failing);
    detail::StagedFiles files(folder);
    for (const std::string& name : names) files.write(name, "new");
    failing_flush = failing;
    CHECK(test::error_of<DataError>([&] { files.publish(); })
              .ends_with(names[static_cast<std::size_t>(failing) - 1] +
                         ": cannot be written: Input/output error"));
    CHECK(text_of(place.path()) == "old");
    CHECK_FALSE(fs::exists(folder / "second.txt"));
  }
  CHECK(files_in(folder) == 1);
}
