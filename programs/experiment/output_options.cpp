// SPDX-License-Identifier: BSD-3-Clause
// The options of `experiment` that say what to write, and where.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <filesystem>
#include <prism/core/index.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "options.hpp"
#include "settings.hpp"

namespace experiment {

/// @throws CLI::ValidationError  if an output would overwrite an input or another output
void refuse_one_file_for_two(const Settings& settings) {
  const auto same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    // If a path does not exist, weakly_canonical leaves it relative and keeps a trailing slash.
    const auto place = [](const std::string& name, std::error_code& error) {
      std::filesystem::path path = std::filesystem::absolute(name, error);
      if (!error) path = std::filesystem::weakly_canonical(path, error);
      return path.has_filename() ? path : path.parent_path();
    };
    std::error_code of_a, of_b;
    const std::filesystem::path first = place(a, of_a), second = place(b, of_b);
    return !of_a && !of_b && first == second;  // an invalid path is refused where it is used
  };
  const std::pair<const char*, std::string> files[]{
      {"--json", settings.json}, {"--report", settings.report}, {"--log", settings.log}};
  for (const std::string& input : {settings.data, settings.test}) {
    for (const auto& [option, file] : files) {
      if (same(file, input)) {
        throw CLI::ValidationError(option, "would overwrite the data in " + input);
      }
    }
    if (same(settings.records, input)) {
      throw CLI::ValidationError("--records", "would append to the data in " + input);
    }
  }
  for (const auto& [option, file] : files) {
    if (same(file, settings.save)) {
      throw CLI::ValidationError(option, "and --save name the same place, " + settings.save);
    }
    if (same(file, settings.checkpoint)) {
      throw CLI::ValidationError(option,
                                 "and --checkpoint name the same place, " + settings.checkpoint);
    }
  }
  if (same(settings.json, settings.report)) {
    throw CLI::ValidationError("--report", "and --json name the same file, " + settings.json);
  }
  for (const std::string& other : {settings.json, settings.report}) {
    if (!same(settings.log, other)) continue;
    throw CLI::ValidationError("--log", "names the same file as another option, " + other);
  }
}

void declare_output_options(CLI::App& app, Settings& settings) {
  const std::string output = "Output";

  app.add_option(
         "--json", settings.json,
         "write settings, history and results to this file; in an existing file with the same "
         "settings and data, the run of a model is replaced by a complete run, or if both are "
         "interrupted, by one that ranked the validation set better")
      ->check(writable_file())
      ->group(output);
  app.add_option("--report", settings.report,
                 "write a page with curves, strata, magnitudes against popularity and settings to "
                 "this HTML file, which is overwritten; with --json it has the record's runs")
      ->check(writable_file())
      ->group(output);
  app.add_option("--log", settings.log,
                 "append a line of JSON to this file after each epoch, with the model, the epoch's "
                 "loss and validation, and its seconds")
      ->check(appendable_file())
      ->group(output);
  app.add_option("--at", settings.at,
                 "lengths of lists, such as 5,10,50: --json then also has the results on the test "
                 "set at these, and at 20, with MAP")
      ->check(CLI::Range(std::size_t{1}, prism::max_rows, "INTEGER >= 1"))
      ->delimiter(',')
      ->needs("--json")
      ->group(output);
  app.add_flag("--user-metrics", settings.user_metrics,
               "also write the metrics of each user of the test set to --json, at 20 and --at")
      ->needs("--json")
      ->group(output);
  app.add_option(
         "--save", settings.save,
         "save each model to a folder in this one: users.npy, items.npy (output rows), "
         "user_ids.txt, item_ids.txt (the id of each row) and all that loading it needs; a model "
         "whose training was interrupted replaces only an interrupted one that ranked the "
         "validation set worse")
      ->check(writable_folder())
      ->group(output);
  app.add_option(
         "--checkpoint", settings.checkpoint,
         "after each epoch, and when SIGINT or SIGTERM ends training, write a checkpoint to a "
         "file in this folder")
      ->check(writable_folder())
      ->group(output);
  app.add_flag("--resume", settings.resume,
               "continue from the checkpoints in that folder; models without one begin anew")
      ->needs("--checkpoint")
      ->group(output);
  app.add_flag("--quiet", settings.quiet,
               "show no progress; how the files were read is still shown")
      ->group(output);
}

}  // namespace experiment
