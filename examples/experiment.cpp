// SPDX-License-Identifier: BSD-3-Clause
// Trains and evaluates any combination of policies on any data, from the command line. Without
// arguments: the paper's comparison of no decay, full decay and PRISM, on synthetic data.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <prism/execution/host.hpp>
#include <vector>

#include "experiment/interrupt.hpp"
#include "experiment/output.hpp"
#include "experiment/record.hpp"
#include "experiment/run.hpp"
#include "experiment/settings.hpp"
#include "experiment/trials.hpp"

namespace {

/// Writes --json. @return whether it could; the table is printed all the same
bool write_record(const experiment::Settings& settings, const prism::Split& split,
                  const std::vector<experiment::Run>& runs) {
  if (experiment::caught_signal() != 0 && runs.size() == 1 &&
      std::filesystem::exists(settings.json)) {
    std::fprintf(stderr, "experiment: %s stays, as a signal ended this run\n",
                 settings.json.c_str());
    return true;
  }
  try {
    experiment::write_json(settings, split, runs);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "experiment: %s\n", error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Trains and evaluates collaborative-filtering models. Without --regularizer and "
      "--initializer, it compares three: Xavier, Xavier + FullWD, PRISM.",
      "experiment");
  experiment::Settings settings;
  experiment::declare_options(app, settings);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  try {
    std::optional<prism::ThreadLimit> limit;
    if (settings.threads) limit.emplace(*settings.threads);
    if (settings.trials()) return experiment::run_lists(settings);
    const prism::Split split = experiment::load(settings);
    std::printf(
        "%s: %u users x %u items; %zu interactions to train on, %zu to validate, %zu to test\n",
        settings.data.empty() ? "synthetic" : settings.data.c_str(), split.train.users(),
        split.train.items(), split.train.size(), split.validation.size(), split.test.size());
    std::fflush(stdout);
    experiment::check_parts(settings, split);
    experiment::describe(settings);
    experiment::check_output(settings);
    experiment::catch_signals();
    std::vector<experiment::Run> runs;
    bool saved = true;
    for (const experiment::ModelChoice& choice : settings.models()) {
      runs.push_back(experiment::run(settings, choice, split));
      saved = saved && !runs.back().save_error;
      // After each model, so that an error in a later one does not lose its results.
      if (!settings.json.empty()) saved = write_record(settings, split, runs) && saved;
      if (experiment::caught_signal() != 0) break;
    }
    experiment::print_table(split, runs);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::fprintf(stderr, "experiment: the table cannot be written to the standard output\n");
      return 1;
    }
    if (experiment::caught_signal() != 0) return 128 + experiment::caught_signal();
    if (!saved) return 1;
    for (const experiment::Run& run : runs) {
      if (run.error) return 1;
    }
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "experiment: not enough memory; lower --dim, --batch or --negatives need less\n");
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "experiment: %s\n", error.what());
    return 1;
  }
}
