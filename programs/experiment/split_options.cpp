// SPDX-License-Identifier: BSD-3-Clause
// The options of `experiment` that say what to read and how to split it.
#include <CLI/CLI.hpp>
#include <string>

#include "data_file.hpp"
#include "options.hpp"
#include "program.hpp"
#include "settings.hpp"

namespace experiment {

void declare_split_options(CLI::App& app, Settings& settings) {
  const std::string data = "Data";

  app.add_option("--data", settings.data,
                 "file of interactions, - for standard input; default: synthetic data")
      ->transform(programs::data_file())
      ->group(data);
  app.add_option("--test", settings.test,
                 "file of the test set; default: part of --data, see --split and --test-part")
      ->transform(programs::data_file())
      ->needs("--data")
      ->group(data);
  CLI::Option* const test_column =
      app.add_option("--test-column", settings.test_column,
                     "column of --data that marks the lines of the test set: its number, from "
                     "0, or its name")
          ->check(programs::named("a column"))
          ->needs("--data")
          ->excludes("--test")
          ->group(data);
  app.add_option("--test-value", settings.test_value, "value of the column in these lines")
      ->needs(test_column)
      ->capture_default_str()
      ->group(data);
  programs::declare_reading(app, settings, "--data", data);
  app.add_flag("--drop-repeated", settings.drop_repeated,
               "remove interactions from the given test set that are also in the rest")
      ->group(data);
  programs::declare_min_rating(app, settings, "--data", data);
  app.add_option("--split", settings.split,
                 "random, or by time: the last part of each user's interactions, the last part of "
                 "all, or each "
                 "user's last one; with a given test set, this splits off the validation set")
      ->check(CLI::IsMember(&split_methods))
      ->needs("--data")
      ->capture_default_str()
      ->group(data);
  programs::declare_times(app, settings, "--data", data);
  const CLI::Validator fraction = number_between(0.001, 0.9);
  app.add_option("--validation-part", settings.validation_part,
                 "fraction of the interactions; where the test set is given, of the rest")
      ->check(fraction)
      ->capture_default_str()
      ->group(data);
  app.add_option("--test-part", settings.test_part, "fraction of the interactions")
      ->check(fraction)
      ->excludes("--test")
      ->excludes(test_column)
      ->capture_default_str()
      ->group(data);
  const CLI::Range size(std::size_t{80}, std::size_t{1} << 24);  // 40 items a user, half of all
  app.add_option("--synthetic-users", settings.synthetic_users, "without --data")
      ->check(size)
      ->excludes("--data")
      ->capture_default_str()
      ->group(data);
  app.add_option("--synthetic-items", settings.synthetic_items, "without --data")
      ->check(size)
      ->excludes("--data")
      ->capture_default_str()
      ->group(data);
}

}  // namespace experiment
