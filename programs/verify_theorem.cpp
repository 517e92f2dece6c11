// SPDX-License-Identifier: BSD-3-Clause
// Checks the paper's theorem on weight decay against simulation and against models in training.
// Exits with 1 if more predictions fall outside their intervals than chance allows.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <prism/theory/verify.hpp>
#include <vector>

#include "number_options.hpp"
#include "option_names.hpp"
#include "program.hpp"
#include "theorem/pictures.hpp"
#include "theorem/settings.hpp"
#include "theorem/table.hpp"
#include "theorem/training.hpp"
#include "thread_limit.hpp"

namespace {

void declare_options(CLI::App& app, theorem::Settings& settings) {
  app.add_option("--draws", settings.draws, "batches to simulate for each setting")
      // Fewer are too few for intervals; more would reveal the dependence between a batch's pairs,
      // which the theorem assumes to be independent.
      ->check(CLI::Range(std::int64_t{20'000}, std::int64_t{1'000'000}))
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "maximum; default: all")
      ->check(CLI::Range(std::size_t{1}, std::size_t{65536}));
  CLI::Option* const data = programs::declare_data(app, settings);
  CLI::Option* const epochs = app.add_option("--epochs", settings.epochs, "of the training curves")
                                  ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
                                  ->capture_default_str();
  CLI::Option* const rate = app.add_option("--lr", settings.learning_rate, "of the training curves")
                                ->check(programs::number_from(0, true))
                                ->capture_default_str();
  CLI::Option* const lambda =
      app.add_option("--lambda", settings.lambda, "of the training curves' full decay")
          ->check(programs::number_from(0, false))
          ->capture_default_str();
  app.add_option("--pictures", settings.pictures,
                 "folder for pictures (SVG, by gnuplot) and their data (CSV)")
      ->check(programs::named("a folder"));
  app.add_flag("--no-training", settings.no_training, "only the simulation")
      ->excludes(data)
      ->excludes(epochs)
      ->excludes(rate)
      ->excludes(lambda);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the theorem on weight decay with simulation and with training.",
               "verify_theorem");
  theorem::Settings settings;
  declare_options(app, settings);
  return programs::run_program(app, argc, argv, [&] {
    const programs::DefaultThreads limit(settings.threads);
    // Flushes each line even into a pipe, because this takes minutes.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    // Opens inputs and outputs first, so that errors show before the work begins.
    std::optional<theorem::Pictures> pictures;
    if (!settings.pictures.empty()) {
      pictures.emplace(settings.pictures, settings.data.empty() ? "synthetic data" : settings.data);
    }
    std::optional<prism::Split> split;
    if (!settings.no_training) split = theorem::load(settings);

    const std::vector<prism::TheoremCheck> checks = theorem::check_grid(settings);
    const auto misses = static_cast<std::size_t>(
        std::ranges::count_if(checks, [](const auto& check) { return !check.holds(); }));
    const std::size_t allowed =
        prism::allowed_misses(checks.size(), prism::SimulationOptions{}.confidence);
    std::printf("\n%zu of %zu predictions outside their 99.9%% interval; chance allows %zu: %s\n",
                misses, checks.size(), allowed,
                misses <= allowed ? "the theorem holds" : "THE THEOREM DOES NOT HOLD");
    if (pictures) {
      pictures->write_checks(checks);
      pictures->add_heat_map();
    }
    theorem::print_limits(settings);
    if (split) {
      const auto by_cosine = theorem::train_by_cosine(*split, settings.seed);
      const auto recommenders = theorem::train_recommenders(*split, settings);
      if (pictures) {
        pictures->add_measured_and_predicted(by_cosine);
        pictures->add_magnitudes(*split, recommenders);
        pictures->add_training_curves(recommenders);
      }
    }
    if (pictures) pictures->draw_all();
    return misses <= allowed ? 0 : 1;
  });
}
