// SPDX-License-Identifier: BSD-3-Clause
// The k-core against its definition, applied until nothing changes.
#include "prism/data/k_core.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prism/data/synthetic.hpp"

using namespace prism;

namespace {

using Pairs = std::vector<Interaction>;
using Named = std::set<std::pair<std::string, std::string>>;

Named named(const Interactions& data) {
  Named pairs;
  for (std::size_t k = 0; k < data.size(); ++k) {
    pairs.emplace(data.user_id(data[k].user), data.item_id(data[k].item));
  }
  return pairs;
}

/// The definition: remove all below the core, count again, until nothing changes.
Named core_by_rescans(Named pairs, Index user_core, Index item_core) {
  for (std::size_t before = 0; before != pairs.size();) {
    before = pairs.size();
    std::map<std::string, Index> user, item;
    for (const auto& [u, i] : pairs) ++user[u], ++item[i];
    std::erase_if(pairs, [&](const auto& pair) {
      return user[pair.first] < user_core || item[pair.second] < item_core;
    });
  }
  return pairs;
}

}  // namespace

TEST_CASE("the k-core is what repeated removal leaves") {
  const Interactions data =
      synthetic_interactions({.users = 80, .items = 60, .interactions_per_user = 8});
  for (const auto& [user_core, item_core] :
       {std::pair<Index, Index>{5, 5}, {7, 9}, {9, 3}, {0, 6}, {11, 0}, {2, 30}, {40, 40}}) {
    CAPTURE(user_core);
    CAPTURE(item_core);
    const Interactions core = k_core(data, user_core, item_core);
    CHECK(named(core) == core_by_rescans(named(data), user_core, item_core));
    for (const Index degree : core.user_degree()) CHECK(degree >= user_core);
    for (const Index degree : core.item_degree()) CHECK(degree >= item_core);
  }
}

TEST_CASE("removal propagates along a chain to its end") {
  // A path: user 0 - item 0 - user 1 - item 1 - ...; removing its end puts the next node below the
  // core, and so on.
  Pairs pairs;
  for (Index k = 0; k < 1000; ++k) {
    pairs.push_back({k, k});
    pairs.push_back({k, k + 1});
  }
  const Interactions core = k_core(Interactions(1000, 1001, pairs), 2, 2);
  CHECK(core.empty());
  CHECK(core.users() == 0);
  CHECK(core.items() == 0);
}

TEST_CASE("rows are renumbered in their order, with their ids and times") {
  const Interactions data(3, 3, Pairs{{0, 2}, {1, 0}, {2, 0}, {2, 2}, {1, 2}},
                          std::vector<double>{1, 2, 3, 4, 5});
  const Interactions core = k_core(data, 2, 2);
  REQUIRE(core.users() == 2);
  REQUIRE(core.items() == 2);
  CHECK(core.user_id(0) == "1");
  CHECK(core.user_id(1) == "2");
  CHECK(core.item_id(1) == "2");
  CHECK(std::vector(core.times().begin(), core.times().end()) == std::vector<double>{2, 5, 3, 4});
}

TEST_CASE("a core of 0 removes nothing, and a core of 1 rows without interactions") {
  const Interactions data(3, 3, Pairs{{1, 1}});
  CHECK(k_core(data, 0, 0).users() == 3);
  CHECK(k_core(data, 1, 0).users() == 1);
  CHECK(k_core(data, 1, 0).items() == 3);
  CHECK(k_core(data, 1, 1).items() == 1);
}
