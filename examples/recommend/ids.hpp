// SPDX-License-Identifier: BSD-3-Clause
// Files of users' ids.
#pragma once

#include <prism/data/interactions.hpp>
#include <string>
#include <vector>

namespace examples {

struct ListedUser {
  std::string id;     ///< as in the file, without surrounding spaces
  prism::Index user;  ///< absent if the model has no user with this id
};

/// The users in a file, one per line: an id as it is or as in user_ids.txt. Ignores surrounding
/// spaces, as in files of interactions, unless the model has a user whose id includes them.
/// @param file   "-" for the standard input
/// @param train  what the model was trained on
/// @throws prism::DataError  if the file cannot be read, or has no users
[[nodiscard]] std::vector<ListedUser> users_in(const std::string& file,
                                               const prism::Interactions& train);

}  // namespace examples
