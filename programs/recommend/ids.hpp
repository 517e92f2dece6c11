// SPDX-License-Identifier: BSD-3-Clause
// Files of ids of users or items.
#pragma once

#include <prism/core/index.hpp>
#include <prism/data/ids.hpp>
#include <string>
#include <vector>

namespace programs {

/// The row of an id as it is, or as in user_ids.txt and item_ids.txt; absent if there is none.
[[nodiscard]] prism::Index row_of(const prism::Ids& known, const std::string& text);

struct ListedId {
  std::string id;    ///< as in the file, without surrounding spaces
  prism::Index row;  ///< absent if the model does not have this id
};

/// The ids in a file, one per line: as they are, or as in user_ids.txt and item_ids.txt. Ignores
/// surrounding spaces, as in files of interactions, unless the model has an id that includes them.
/// @param file   "-" for the standard input
/// @param known  the model's ids
/// @param kind   "users" or "items", for messages
/// @throws prism::DataError  if the file cannot be read, or has no ids
[[nodiscard]] std::vector<ListedId> ids_in(const std::string& file, const prism::Ids& known,
                                           const char* kind);

}  // namespace programs
