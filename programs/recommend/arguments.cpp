// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <prism/policy/prism_alpha.hpp>
#include <prism/policy/ranking.hpp>

#include "data_file.hpp"
#include "number_options.hpp"

namespace recommend {

namespace {

using Options = std::vector<CLI::Option*>;

/// Declares NAME and NAME-file for ids. @param ids  "ids of users", for the help
Options declare_ids(CLI::App& app, IdOptions& options, const std::string& name,
                    const std::string& ids, const std::string& answer) {
  const std::string file_name = name + "-file";
  return {
      app.add_option(
             name, options.ids,
             ids + ", separated by commas" + answer + "; ids that have commas: " + file_name)
          ->delimiter(','),
      app.add_option(file_name, options.file,
                     "file with one of these ids per line, plain or escaped as in a saved model; - "
                     "for standard input")
          ->check(CLI::ExistingFile | CLI::IsMember({"-"}))};
}

void exclude(const Options& options, const Options& others) {
  for (CLI::Option* const option : options) {
    for (CLI::Option* const other : others) option->excludes(other);
  }
}

/// Declares what is asked for. An answer begins with a bare id, so one run answers one kind of
/// question.
/// @return the options of those that rank items for users, and of the others
std::pair<Options, Options> declare_questions(CLI::App& app, Arguments& arguments) {
  const Options users =
      declare_ids(app, arguments.users, "--users", "ids of users", ": items for each");
  const Options new_users{
      app.add_option("--new-users", arguments.new_users,
                     "file of interactions, in any format that experiment reads, - for standard "
                     "input, of users that the model need not know: their rows are computed by "
                     "least squares")
          ->transform(programs::data_file())};
  const Options similar = declare_ids(app, arguments.similar_to, "--similar-to", "ids of items",
                                      ": the items most similar to each, by cosine");
  const Options users_for = declare_ids(app, arguments.users_for, "--users-for", "ids of items",
                                        ": the users for whom each scores highest");
  const Options similar_users =
      declare_ids(app, arguments.similar_users, "--similar-users", "ids of users",
                  ": the users most similar to each, by cosine");
  const std::initializer_list<const Options*> kinds{&users, &new_users, &similar, &users_for,
                                                    &similar_users};
  for (const Options* const kind : kinds) {
    for (const Options* const other : kinds) {
      if (kind != other) exclude(*kind, *other);
    }
  }
  Options others = similar;
  others.insert(others.end(), users_for.begin(), users_for.end());
  others.insert(others.end(), similar_users.begin(), similar_users.end());
  Options by_cosine = similar;
  by_cosine.insert(by_cosine.end(), similar_users.begin(), similar_users.end());
  exclude({app.add_flag("--include-seen", arguments.include_seen,
                        "also recommend items that the user has seen, or users who have seen the "
                        "item"),
           app.add_flag("--cosine", arguments.cosine, "rank by cosine instead of dot product")},
          by_cosine);
  return {users, others};
}

}  // namespace

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--model", arguments.model, "folder of a saved model, as experiment --save writes")
      ->required()
      ->check(CLI::ExistingDirectory);
  const auto [for_users, others] = declare_questions(app, arguments);
  const std::string reading = "Format of --new-users";
  programs::declare_reading(app, arguments, "--new-users", reading);
  programs::declare_min_rating(app, arguments, "--new-users", reading,
                               "leave out lower ratings; default: those that were left out of "
                               "the model's training, where the file has ratings");
  app.add_option("-k,--k", arguments.k, "items, or users, for each")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 24))
      ->capture_default_str();
  Options of_lists;
  of_lists.push_back(app.add_option("--among-file", arguments.among_file,
                                    "file with one item id per line: recommend only these")
                         ->check(CLI::ExistingFile));
  of_lists.push_back(app.add_option("--without-file", arguments.without_file,
                                    "file with one item id per line: do not recommend these")
                         ->check(CLI::ExistingFile));
  of_lists.push_back(
      app.add_option("--rank-power", arguments.rank_power,
                     "rank with items' rows of magnitude (d + 1)^power, d the training "
                     "popularity, in place of the model's: 0 ignores it, larger values favour "
                     "popular items")
          ->check(programs::number_between(-prism::Ranking::max_power, prism::Ranking::max_power))
          ->excludes("--cosine"));  // which ignores magnitudes
  of_lists.push_back(app.add_option("--rank-alpha", arguments.rank_alpha,
                                    "the same with PRISM's magnitude, alpha log(d + 2) + 1 - alpha")
                         ->check(programs::number_between(0, prism::max_prism_alpha))
                         ->excludes("--rank-power")
                         ->excludes("--cosine"));
  of_lists.push_back(
      app.add_option("--rank-exponent", arguments.rank_exponent,
                     "the power of the magnitudes that training gave the rows, alone or beside one "
                     "of these: 1 keeps them; default: 0 beside one of these")
          ->check(
              programs::number_between(-prism::Ranking::max_exponent, prism::Ranking::max_exponent))
          ->excludes("--cosine"));
  exclude(of_lists, others);
  const std::map<std::string, Untrained> untrained{
      {"popular", Untrained::popular}, {"rows", Untrained::rows}, {"refuse", Untrained::refuse}};
  app.add_option(
         "--untrained", arguments.untrained,
         "users and items without an interaction in training: popular: such users get the "
         "most popular items; rows: they are ranked by their rows as initialised; refuse: no "
         "answer for such users. Unless rows, such items are not recommended, and nothing is "
         "compared with them")
      ->transform(CLI::CheckedTransformer(untrained).description(""))
      ->type_name("popular|rows|refuse")
      ->default_str("popular");
  app.add_option("--threads", arguments.threads,
                 "maximum; default: all cores, or the CPUs of a container's quota")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16));
  app.add_flag("--describe", arguments.describe, "print the model's policies and settings");
  app.set_version_flag("--version", "prism " PRISM_VERSION);
  app.parse_complete_callback([&] {
    if (!arguments.asks() && !arguments.describe) {
      throw CLI::RequiredError(
          "--users, --new-users, --similar-to, --users-for, --similar-users (or one of these with "
          "-file) or --describe");
    }
  });
}

}  // namespace recommend
