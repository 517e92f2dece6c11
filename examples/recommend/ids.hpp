// SPDX-License-Identifier: BSD-3-Clause
// Ids of users and items as texts of one line, and files of them.
#pragma once

#include <prism/data/interactions.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// An id as in the files of a saved model's ids, a tab as \t too: it ends a column here.
[[nodiscard]] std::string escaped(std::string_view id);

struct ListedUser {
  std::string id;     ///< as the file has it, without spaces around it
  prism::Index user;  ///< absent if the model has none of this id
};

/// The users in a file, one a line: an id as it is or as in user_ids.txt. Spaces around one are of
/// no account, as in files of interactions, unless the model has a user with them.
/// @param file   - for the standard input
/// @param train  what the model was trained on
/// @throws prism::DataError  where the file cannot be read, or has no users
[[nodiscard]] std::vector<ListedUser> users_in(const std::string& file,
                                               const prism::Interactions& train);

}  // namespace examples
