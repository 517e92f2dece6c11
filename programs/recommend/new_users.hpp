// SPDX-License-Identifier: BSD-3-Clause
// The interactions of users that came after training.
#pragma once

#include <prism/data/interactions.hpp>
#include <prism/experiment/json.hpp>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace recommend {

/// Reads --new-users and reports how it was read. Unless the options set a minimum rating, applies
/// that of the model's training.
/// @param settings  of the model's experiment, or null
[[nodiscard]] prism::Interactions read_new_users(const Arguments& arguments,
                                                 const prism::Json& settings);

/// The users of --new-users whose ratings are all too low; none for a pipe, which can be read only
/// once.
/// @param history  what read_new_users() has read
[[nodiscard]] std::vector<std::string> users_left_out(const Arguments& arguments,
                                                      const prism::Interactions& history);

/// The interactions with items that the model has; others are left out, and counted on the standard
/// error.
/// @throws DataError  if there are none
[[nodiscard]] prism::Interactions with_items_of(const prism::Interactions& train,
                                                const prism::Interactions& history);

}  // namespace recommend
