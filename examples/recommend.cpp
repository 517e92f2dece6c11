// SPDX-License-Identifier: BSD-3-Clause
// Answers queries from a saved model of any policies: items for users, items for users who came
// after training, items similar to items.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <prism/data/read.hpp>
#include <prism/execution/host.hpp>
#include <prism/experiment/json.hpp>
#include <prism/policy/ranking.hpp>
#include <prism/serve/escaped_line.hpp>
#include <prism/serve/fold_in.hpp>
#include <prism/serve/item_index.hpp>
#include <prism/serve/load_model.hpp>
#include <prism/serve/recommend.hpp>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "data_file.hpp"
#include "number_options.hpp"
#include "option_names.hpp"
#include "program.hpp"
#include "reading_options.hpp"
#include "recommend/ids.hpp"

namespace {

using namespace prism;

struct Arguments : examples::ReadingOptions {
  std::string model;
  std::vector<std::string> users;
  std::string users_file;
  std::string new_users;
  std::vector<std::string> similar_to;
  std::string similar_to_file;
  std::size_t k = 10;
  std::optional<double> rank_power, rank_alpha;
  bool include_seen = false;
  bool cosine = false;
  bool describe = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--model", arguments.model, "folder of a saved model, as experiment --save writes")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--users", arguments.users,
                 "ids of users, separated by commas; ids that have commas: --users-file")
      ->delimiter(',');
  app.add_option("--users-file", arguments.users_file,
                 "file with one user id per line, plain or escaped as in user_ids.txt; - for "
                 "standard input")
      ->check(CLI::ExistingFile | CLI::IsMember({"-"}));
  // An answer begins with a bare id: those for users and those for items could not be told apart.
  app.add_option("--new-users", arguments.new_users,
                 "file of interactions, in any format that experiment reads, - for standard input, "
                 "of users that the "
                 "model need not know: their rows are computed by least squares")
      ->transform(examples::data_file())
      ->excludes("--users")
      ->excludes("--users-file");
  app.add_option("--similar-to", arguments.similar_to,
                 "ids of items, separated by commas: the items most similar to each, by cosine")
      ->delimiter(',')
      ->excludes("--users")
      ->excludes("--users-file")
      ->excludes("--new-users");
  app.add_option("--similar-to-file", arguments.similar_to_file,
                 "file with one item id per line, plain or escaped as in item_ids.txt; - for "
                 "standard input: as --similar-to, for ids that have commas, too")
      ->check(CLI::ExistingFile | CLI::IsMember({"-"}))
      ->excludes("--users")
      ->excludes("--users-file")
      ->excludes("--new-users");
  const std::string reading = "Format of --new-users";
  examples::declare_reading(app, arguments, "--new-users", reading);
  examples::declare_min_rating(app, arguments, "--new-users", reading,
                               "leave out lower ratings; default: those that were left out of "
                               "the model's training, where the file has ratings");
  app.add_option("-k,--k", arguments.k, "items for each")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24))
      ->capture_default_str();
  app.add_flag("--include-seen", arguments.include_seen,
               "also recommend items that the user has seen")
      ->excludes("--similar-to")
      ->excludes("--similar-to-file");
  app.add_flag("--cosine", arguments.cosine, "rank by cosine instead of dot product")
      ->excludes("--similar-to")
      ->excludes("--similar-to-file");
  app.add_option("--rank-power", arguments.rank_power,
                 "rank with items' rows of magnitude (d + 1)^power, d the training popularity, in "
                 "place of the model's: 0 ignores it, larger values favour popular items")
      ->check(examples::number_between(-Ranking::max_power, Ranking::max_power))
      ->excludes("--cosine")  // which ignores magnitudes
      ->excludes("--similar-to")
      ->excludes("--similar-to-file");
  app.add_option("--rank-alpha", arguments.rank_alpha,
                 "the same with PRISM's magnitude, alpha log(d + 2) + 1 - alpha")
      ->check(examples::number_between(0, max_prism_alpha))
      ->excludes("--rank-power")
      ->excludes("--cosine")
      ->excludes("--similar-to")
      ->excludes("--similar-to-file");
  app.add_flag("--describe", arguments.describe, "print the model's policies and settings");
  app.set_version_flag("--version", "prism " PRISM_VERSION);
}

/// A saved model's settings, as experiment writes them; null if it has none.
Json settings_of(const SavedNotes& description) {
  for (const auto& [name, value] : description) {
    if (name == "note settings") return Json::parse(value, nullptr, false);
  }
  return nullptr;
}

/// Prints a line for each item: `whose`, the item's rank from 1, its id, its score.
template <class T>
void print(const std::string& whose, const std::vector<ScoredItem<T>>& items, const Ids& ids) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    std::printf("%s\t%zu\t%s\t%s\n", escaped_line(whose).c_str(), k + 1,
                escaped_line(ids[items[k].item]).c_str(),
                format_number(static_cast<double>(items[k].score)).c_str());
  }
}

/// Reads --new-users and reports how it was read. Unless the options set a minimum rating, applies
/// that of the model's training.
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
      summary.file + examples::in_options(describe(summary).substr(summary.file.size()));
  if (models_own) {
    text += "; the model's --min-rating " + format_number(*options.min_rating) +
            (summary.rating_column.empty() ? " does not apply, as there are no ratings"
                                           : " applies; give another to override it");
  }
  std::fprintf(stderr, "%s\n", text.c_str());
  return history;
}

/// The users of --new-users whose ratings are all too low; none for a pipe, which can be read only
/// once.
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

/// The interactions with items that the model has; others are left out.
/// @throws DataError  if there are none
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

/// Prints the answers for `users`, who are users of `seen`, in order.
template <class T>
void answer_all(const Arguments& arguments, const ItemIndex<T>& index,
                const std::vector<Query<T>>& queries, const Interactions& seen,
                const std::vector<Index>& users) {
  constexpr std::size_t batch = 4096;  // bounds the memory of the answers
  for (std::size_t first = 0; first < users.size(); first += batch) {
    const std::size_t count = std::min(batch, users.size() - first);
    const std::span some(queries.data() + first, count);
    const auto lists = arguments.include_seen
                           ? index.top_k(some, arguments.k)
                           : index.top_k(some, arguments.k, [&](std::size_t position) {
                               return Unseen(seen, users[first + position]);
                             });
    for (std::size_t k = 0; k < count; ++k) {
      print(std::string(seen.user_id(users[first + k])), lists[k].items, *seen.item_ids());
    }
  }
}

/// @return whether the model has every id
template <class T>
bool answer(const Arguments& arguments, const Json& settings) {
  SavedScorer<T> saved = load_scorer<T>(arguments.model);
  if (arguments.rank_power || arguments.rank_alpha) {
    saved = with_ranking(std::move(saved),
                         {.alpha = arguments.rank_alpha, .power = arguments.rank_power});
  }
  const Scorer<T>& scorer = saved.scorer;
  bool all_known = true;
  const auto unknown = [&](const char* kind, const std::string& id) {
    std::fprintf(stderr, "recommend: the model has no %s %s\n", kind, id.c_str());
    all_known = false;
  };
  std::vector<Index> users;
  const auto add_user = [&](const std::string& id, Index user) {
    if (user == absent) {
      unknown("user", id);
    } else {
      users.push_back(user);
    }
  };
  for (const std::string& id : arguments.users) add_user(id, saved.train.find_user(id));
  if (!arguments.users_file.empty()) {
    for (const auto& [id, user] :
         examples::ids_in(arguments.users_file, *saved.train.user_ids(), "users")) {
      add_user(id, user);
    }
  }
  const bool for_users = !users.empty() || !arguments.new_users.empty();
  if (for_users) {
    const ItemIndex<T> index(
        scorer, {.similarity = arguments.cosine ? Similarity::cosine : Similarity::dot});
    answer_all(arguments, index, queries_of(scorer, users), saved.train, users);
    if (!arguments.new_users.empty()) {
      const Interactions read = read_new_users(arguments, settings);
      for (const std::string& id : users_left_out(arguments, read)) {
        std::fprintf(stderr, "recommend: all ratings of the user %s are below --min-rating\n",
                     escaped_line(id).c_str());
        all_known = false;
      }
      const Interactions history = with_items_of(saved.train, read);
      const Matrix<T> folded_in = fold_in_users(
          saved.trained, history, {.least_squares = {.similarity = index.similarity()}});
      std::vector<Query<T>> queries;
      std::vector<Index> everyone;
      for (Index user = 0; user < history.users(); ++user) {
        if (history.user_degree()[user] == 0) {
          std::fprintf(stderr, "recommend: the model has no item of the user %s\n",
                       escaped_line(history.user_id(user)).c_str());
          all_known = false;
          continue;
        }
        queries.emplace_back(std::span<const T>(rows(folded_in)[user], folded_in.shape(1)));
        everyone.push_back(user);
      }
      answer_all(arguments, index, queries, history, everyone);
    }
  }
  const Ids& item_ids = *saved.train.item_ids();
  const auto answer_item = [&](const std::string& id, Index item) {
    if (item == absent) {
      unknown("item", id);
    } else {
      print(std::string(item_ids[item]), similar_items(scorer, item, arguments.k), item_ids);
    }
  };
  for (const std::string& id : arguments.similar_to) answer_item(id, item_ids.find(id));
  if (!arguments.similar_to_file.empty()) {
    for (const auto& [id, item] : examples::ids_in(arguments.similar_to_file, item_ids, "items")) {
      answer_item(id, item);
    }
  }
  return all_known;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Recommends items to users with a saved model. Each line: user (or item that others are "
      "similar to), rank, item, score; in ids \\n, \\r, \\t and \\\\ stand for a line break, a "
      "carriage "
      "return, a tab and a backslash.",
      "recommend");
  Arguments arguments;
  declare(app, arguments);
  const auto asks_for_items = [&] {
    return !arguments.users.empty() || !arguments.users_file.empty() ||
           !arguments.new_users.empty() || !arguments.similar_to.empty() ||
           !arguments.similar_to_file.empty();
  };
  app.parse_complete_callback([&] {
    if (!asks_for_items() && !arguments.describe) {
      throw CLI::RequiredError(
          "--users, --users-file, --new-users, --similar-to, --similar-to-file or --describe");
    }
  });
  return examples::run_program(app, argc, argv, [&] {
    const SavedNotes description = saved_model_description(arguments.model);
    bool in_double = false;
    for (const auto& [name, value] : description) {
      if (arguments.describe) std::printf("%s: %s\n", name.c_str(), value.c_str());
      in_double = in_double || (name == "numbers" && value == "double");
    }
    if (!asks_for_items()) return 0;
    const Json settings = settings_of(description);
    const bool all_known =
        in_double ? answer<double>(arguments, settings) : answer<float>(arguments, settings);
    return all_known ? 0 : 1;
  });
}
