// SPDX-License-Identifier: BSD-3-Clause
// Any combination of policies, on any data, from the command line. Without arguments: the paper's
// comparison of no decay, full decay and PRISM, on made-up data.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <optional>
#include <prism/prism.hpp>
#include <vector>

#include "experiment/record.hpp"
#include "experiment/run.hpp"
#include "experiment/settings.hpp"

int main(int argc, char** argv) {
  CLI::App app(
      "Trains and measures collaborative-filtering models. With neither --regularizer nor "
      "--initializer, three: Xavier, Xavier + FullWD, PRISM.",
      "experiment");
  experiment::Settings settings;
  experiment::declare_options(app, settings);
  CLI11_PARSE(app, argc, argv);

  try {
    std::optional<prism::ThreadLimit> limit;
    if (settings.threads) limit.emplace(*settings.threads);
    const prism::Split split = experiment::load(settings);
    std::printf(
        "%s: %u users x %u items; %zu interactions to train on, %zu to validate, %zu to test\n",
        settings.data.empty() ? "synthetic" : settings.data.c_str(), split.train.users(),
        split.train.items(), split.train.size(), split.validation.size(), split.test.size());
    std::fflush(stdout);
    std::vector<experiment::Run> runs;
    for (const experiment::ModelChoice& choice : settings.models()) {
      runs.push_back(experiment::run(settings, choice, split));
    }
    experiment::print_table(runs);
    if (!settings.json.empty()) experiment::write_json(settings, split, runs);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "experiment: %s\n", error.what());
    return 1;
  }
}
