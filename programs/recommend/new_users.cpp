// SPDX-License-Identifier: BSD-3-Clause
#include "new_users.hpp"

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <prism/core/error.hpp>
#include <prism/core/index.hpp>
#include <prism/data/read.hpp>
#include <string_view>
#include <system_error>

#include "option_names.hpp"

namespace recommend {

using namespace prism;

Interactions read_new_users(const Arguments& arguments, const Json& settings) {
  ReadOptions options = arguments.read_options();
  options.training = false;  // there may be one user, or one interaction of each
  const bool models_own = !options.min_rating && settings.is_object() &&
                          settings.contains("min_rating") && settings["min_rating"].is_number();
  if (models_own) {
    options.min_rating = settings["min_rating"].get<double>();
    options.require_rating = false;
  }
  Interactions history = read_interactions(arguments.new_users, options);
  const ReadSummary& summary = *history.read_summary();
  std::string text =
      summary.file + programs::in_options(describe(summary).substr(summary.file.size()));
  if (models_own) {
    text += "; the model's --min-rating " + format_number(*options.min_rating) +
            (summary.rating_column.empty() ? " does not apply, as there are no ratings"
                                           : " applies; give another to override it");
  }
  std::fprintf(stderr, "%s\n", text.c_str());
  return history;
}

std::vector<std::string> users_left_out(const Arguments& arguments, const Interactions& history) {
  std::vector<std::string> all;
  std::error_code error;
  if (history.read_summary()->below_min_rating == 0 ||
      !std::filesystem::is_regular_file(arguments.new_users, error)) {
    return all;
  }
  ReadOptions options = arguments.read_options();
  options.training = false;
  options.min_rating.reset();
  options.rating.reset();
  const Interactions whole = read_interactions(arguments.new_users, options);
  for (Index user = 0; user < whole.users(); ++user) {
    const std::string_view id = whole.user_id(user);
    if (history.find_user(id) == absent) all.emplace_back(id);
  }
  return all;
}

Interactions with_items_of(const Interactions& train, const Interactions& history) {
  std::vector<Interaction> pairs;
  for (std::size_t k = 0; k < history.size(); ++k) {
    const Index item = train.find_item(history.item_id(history[k].item));
    if (item != absent) pairs.push_back({history[k].user, item});
  }
  if (pairs.empty()) {
    throw DataError(history.read_summary()->file, 0,
                    "has no interaction with an item of the model: it has items such as '" +
                        std::string(history.item_id(history[0].item)) +
                        "', the model items such as '" + std::string(train.item_id(0)) +
                        "'; use the option item to choose the column of items");
  }
  if (pairs.size() < history.size()) {
    std::fprintf(stderr,
                 "recommend: %zu of %zu interactions are with items that the model does not have\n",
                 history.size() - pairs.size(), history.size());
  }
  return {history.user_ids(), train.item_ids(), pairs};
}

}  // namespace recommend
