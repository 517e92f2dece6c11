// SPDX-License-Identifier: BSD-3-Clause
// The map between external ids and rows.
#include "prism/data/ids.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace prism;

TEST_CASE("ids are numbered in order of first appearance") {
  Ids ids;
  CHECK(ids.intern("b") == 0);
  CHECK(ids.intern("a") == 1);
  CHECK(ids.intern("b") == 0);
  CHECK(ids.size() == 2);
  CHECK(ids[0] == "b");
  CHECK(ids[1] == "a");
}

TEST_CASE("an unknown id is absent") {
  Ids ids;
  CHECK(ids.find("a") == absent);
  ids.intern("a");
  CHECK(ids.find("a") == 0);
  CHECK(ids.find("aa") == absent);
  CHECK(ids.find("") == absent);
}

TEST_CASE("an id may be any bytes") {
  Ids ids;
  const std::string nul("a\0b", 3);
  const std::string huge(100'000, '9');
  const std::vector<std::string> names{"", " ", "The Wall", "Żółć", "01", "1", nul, "a", huge};
  for (const std::string& name : names) ids.intern(name);
  REQUIRE(ids.size() == names.size());
  for (Index row = 0; row < names.size(); ++row) {
    CHECK(ids[row] == names[row]);
    CHECK(ids.find(names[row]) == row);
  }
}

TEST_CASE("numbered ids are the rows' own numbers") {
  const Ids ids = Ids::numbered(50'000);
  REQUIRE(ids.size() == 50'000);
  for (Index row = 0; row < ids.size(); ++row) {
    const std::string name = std::to_string(row);
    if (ids[row] != name || ids.find(name) != row) FAIL_CHECK(name);
  }
  CHECK(ids.find("50000") == absent);
}

TEST_CASE("more ids than there are rows is an error, and known ids still work") {
  Ids ids(2);
  ids.intern("a");
  ids.intern("b");
  CHECK(ids.intern("a") == 0);
  CHECK_THROWS_WITH_AS(ids.intern("c"), "ids: must not be more than 2", ArgumentError);
  CHECK(ids.size() == 2);
  CHECK(ids.find("c") == absent);
}

TEST_CASE("id maps are equal if each row has the same id") {
  Ids a, b, c;
  for (const char* const id : {"ab", "c"}) a.intern(id);
  for (const char* const id : {"ab", "c"}) b.intern(id);
  for (const char* const id : {"a", "bc"}) c.intern(id);
  CHECK(a == b);
  CHECK_FALSE(a == c);
}
