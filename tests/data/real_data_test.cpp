// SPDX-License-Identifier: BSD-3-Clause
// The published data sets, which users provide: in the folder PRISM_DATA, or in data/ of the source
// tree.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "prism/data.hpp"

using namespace prism;

namespace {

#if defined(PRISM_HAS_ZLIB)
constexpr bool reads_gzip = true;
#else
constexpr bool reads_gzip = false;
#endif

/// The path of a file in the data folder; empty, with a message, if it cannot be read.
std::filesystem::path data_file(const std::string& name) {
  const char* const folder = std::getenv("PRISM_DATA");
  const std::filesystem::path path =
      (folder != nullptr ? std::filesystem::path(folder)
                         : std::filesystem::path(PRISM_SOURCE_DIR) / "data") /
      name;
  if (!std::filesystem::exists(path)) {
    MESSAGE("skipped: put the file at " << path.string() << ", or name the folder that holds "
                                        << name << " in PRISM_DATA");
    return {};
  }
  if (path.extension() == ".gz" && !reads_gzip) {
    MESSAGE("skipped: built without zlib");
    return {};
  }
  return path;
}

void check_size(const Interactions& data, Index users, Index items, std::size_t size) {
  CHECK(data.users() == users);
  CHECK(data.items() == items);
  CHECK(data.size() == size);
}

bool same(const Interactions& a, const Interactions& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Index user = b.find_user(a.user_id(a[k].user));
    const Index item = b.find_item(a.item_id(a[k].item));
    if (user == absent || item == absent || !b.contains(user, item)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("MovieLens 1M has the published size, with all ratings and from 3 on") {
  const auto path = data_file("movielens1m/ratings.dat.gz");
  if (path.empty()) return;
  check_size(read_interactions(path), 6040, 3706, 1'000'209);
  const Interactions liked = read_interactions(path, {.min_rating = 3});
  check_size(liked, 6039, 3628, 836'478);
  const Split split = random_split(liked);
  CHECK(split.train.size() == 669'182);
  CHECK(split.validation.size() == 83'648);
  CHECK(split.test.size() == 83'648);
}

TEST_CASE("Gowalla has the published size and parts") {
  const auto path = data_file("gowalla/interactions.tsv.gz");
  if (path.empty()) return;
  check_size(read_interactions(path), 29'858, 40'981, 1'027'370);
  const TrainTest parts = read_train_test(path, TestColumn{});
  check_size(parts.train, 29'858, 40'981, 810'128);
  check_size(parts.test, 29'858, 40'981, 217'242);
  const Split split = given_split(parts.train, parts.test);
  CHECK(split.validation.size() == 81'013);
  CHECK(split.test.size() == 217'242);
}

TEST_CASE("Yelp2018 is the same as adjacency lists and as a table") {
  const auto table = data_file("yelp2018/interactions.tsv.gz");
  const auto train = data_file("yelp2018/train.txt.gz");
  const auto test = data_file("yelp2018/test.txt.gz");
  if (table.empty() || train.empty() || test.empty()) return;
  const TrainTest lists = read_train_test(train, test);
  check_size(lists.train, 31'668, 38'048, 1'237'259);
  check_size(lists.test, 31'668, 38'048, 324'147);
  const TrainTest columns = read_train_test(table, TestColumn{});
  check_size(columns.train, 31'668, 38'048, 1'237'259);
  CHECK(same(lists.train, columns.train));
  CHECK(same(lists.test, columns.test));
}

TEST_CASE("Amazon-Book has the published users and items") {
  const auto path = data_file("amazonbook/interactions.tsv.gz");
  if (path.empty()) return;
  check_size(read_interactions(path), 52'643, 91'599, 2'834'702);
}

TEST_CASE("MovieLens 100K is the same in RecBole's format and in its own") {
  const auto recbole = data_file("ml100k/ml-100k.inter");
  const auto plain = data_file("ml100k/u.data");
  if (recbole.empty() || plain.empty()) return;
  const Interactions a = read_interactions(recbole);
  const Interactions b = read_interactions(plain);
  check_size(a, 943, 1682, 100'000);
  check_size(b, 943, 1682, 100'000);
  REQUIRE(a.times().size() == b.times().size());
  bool equal = true;
  for (std::size_t k = 0; k < a.size(); ++k) equal &= a[k] == b[k] && a.times()[k] == b.times()[k];
  CHECK(equal);
  CHECK(same(a, b));
}

TEST_CASE("MovieLens 100K without each user's last two interactions") {
  const auto path = data_file("ml100k/u.data");
  if (path.empty()) return;
  const Interactions data = read_interactions(path);
  const Split split = leave_last_out(data);
  CHECK(split.test.size() == 943);
  CHECK(split.validation.size() == 943);
  CHECK(split.train.size() == 98'114);
  bool in_order = true;
  for (std::size_t user = 0; user < 943; ++user) {
    in_order &= split.test[user].user == user && split.validation[user].user == user;
    in_order &= split.validation.times()[user] <= split.test.times()[user];
  }
  for (std::size_t k = 0; k < split.train.size(); ++k) {
    in_order &= split.train.times()[k] <= split.validation.times()[split.train[k].user];
  }
  CHECK(in_order);
}
