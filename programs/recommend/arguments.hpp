// SPDX-License-Identifier: BSD-3-Clause
// The command line of recommend.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reading_options.hpp"

namespace recommend {

/// Ids on the command line, and those of a file.
struct IdOptions {
  std::vector<std::string> ids;
  std::string file;  // "-" for the standard input; empty: none

  [[nodiscard]] bool given() const noexcept { return !ids.empty() || !file.empty(); }
};

/// What becomes of users and items without an interaction in training, whose rows are as
/// initialised.
enum class Untrained {
  popular,  // users get the most popular items; items have no similar items or users
  rows,     // they are ranked by these rows
  refuse,   // no answer
};

struct Arguments : programs::ReadingOptions {
  std::string model;
  IdOptions users;          // items for users
  std::string new_users;    // items for the users of a file of interactions
  IdOptions similar_to;     // items similar to items
  IdOptions users_for;      // users for items
  IdOptions similar_users;  // users similar to users
  std::string among_file, without_file;
  std::size_t k = 10;
  std::optional<double> rank_power, rank_alpha, rank_exponent;
  Untrained untrained = Untrained::popular;
  std::optional<std::size_t> threads;
  bool include_seen = false;
  bool cosine = false;
  bool describe = false;

  /// Whether an answer is asked for.
  [[nodiscard]] bool asks() const noexcept {
    return users.given() || !new_users.empty() || similar_to.given() || users_for.given() ||
           similar_users.given();
  }
};

/// Declares the options on `app`, whose parsing fails if they contradict each other, or ask for
/// nothing.
void declare(CLI::App& app, Arguments& arguments);

}  // namespace recommend
