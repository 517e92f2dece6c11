// SPDX-License-Identifier: BSD-3-Clause
// Reading Arrow tables made by hand, with a check that everything was released.
#pragma once

#include <doctest/doctest.h>

#include <prism/data/arrow.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/arrow_table.hpp"

namespace test {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The table as one record batch. Everything must be released, whatever happens.
inline prism::Interactions interactions_in(const std::vector<ArrowColumn>& columns,
                                           const prism::ArrowReadOptions& options = {},
                                           const ArrowColumn& batch = {}) {
  ArrowSchema schema = schema_of(columns);
  ArrowArray array = array_of(columns, batch);
  struct Check {
    ~Check() { CHECK(live == 0); }
  } check;
  return prism::read_arrow(&schema, &array, options);
}

inline Pairs pairs_of(const prism::Interactions& interactions) {
  Pairs pairs;
  for (std::size_t k = 0; k < interactions.size(); ++k) {
    pairs.emplace_back(interactions.user_id(interactions[k].user),
                       interactions.item_id(interactions[k].item));
  }
  return pairs;
}

inline std::vector<std::string> users_of(const prism::Interactions& interactions) {
  std::vector<std::string> ids;
  for (prism::Index user = 0; user < interactions.users(); ++user) {
    ids.emplace_back(interactions.user_id(user));
  }
  return ids;
}

inline std::string error_of(const std::vector<ArrowColumn>& columns,
                            const prism::ArrowReadOptions& options = {}) {
  try {
    (void)interactions_in(columns, options);
  } catch (const prism::DataError& error) {
    CHECK(error.file() == "Arrow data");
    return std::string(error.what()).substr(error.file().size() + 2);
  }
  return "no error";
}

}  // namespace test
