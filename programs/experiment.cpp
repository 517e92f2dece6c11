// SPDX-License-Identifier: BSD-3-Clause
// Trains and evaluates any combination of policies on any data, from the command line. Without
// arguments: the paper's comparison of no decay, full decay and PRISM, and magnitudes from
// popularity after training, on synthetic data.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <prism/experiment/json.hpp>
#include <vector>

#include "experiment/interrupt.hpp"
#include "experiment/output.hpp"
#include "experiment/record.hpp"
#include "experiment/run.hpp"
#include "experiment/settings.hpp"
#include "experiment/table.hpp"
#include "experiment/trials.hpp"
#include "option_names.hpp"
#include "program.hpp"
#include "thread_limit.hpp"

namespace {

/// Writes --json and --report. @return whether that succeeded; the table is printed either way
bool write_results(const experiment::Settings& settings, const prism::Split& split,
                   const std::vector<experiment::Run>& runs, const prism::Json& before) {
  try {
    experiment::write_output(settings, split, runs, before);
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "experiment: %s\n", programs::message_of(error).c_str());
    return false;
  }
}

/// Trains and evaluates each model, and prints the table. @return the exit status
int run_models(experiment::Settings& settings) {
  const prism::Split split = experiment::load(settings);
  experiment::print_split(settings, split);
  experiment::check_parts(settings, split);
  experiment::describe(settings, split);
  const prism::Json before = experiment::check_output(settings, split);
  experiment::catch_signals();
  std::vector<experiment::Run> runs;
  std::exception_ptr failure;
  bool good = true;
  for (const experiment::ModelChoice& choice : settings.models()) {
    try {
      runs.push_back(experiment::run(settings, choice, split));
    } catch (...) {
      if (runs.empty()) throw;
      failure = std::current_exception();  // earlier models have results
      break;
    }
    experiment::Run& run = runs.back();
    good = good && !run.error && !run.save_error && !run.training_error && !run.checkpoint_error &&
           !run.log_error && !run.retraining_error;
    for (const auto& error : {run.training_error, run.checkpoint_error, run.log_error}) {
      if (error) std::fprintf(stderr, "experiment: %s\n", error->c_str());
    }
    if (!settings.json.empty()) {
      run.not_recorded = experiment::why_not_recorded(settings, run, before);
    }
    // After each model, so that an error in a later one does not lose its results.
    good = write_results(settings, split, runs, before) && good;
    if (run.training_error || experiment::caught_signal() != 0) break;
  }
  experiment::print_table(split, runs);
  if (!programs::flush_output("experiment")) return 1;
  if (failure) std::rethrow_exception(failure);
  if (experiment::caught_signal() != 0) return 128 + experiment::caught_signal();
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Trains and evaluates collaborative-filtering models. Without --regularizer, --initializer "
      "and the options of ranking, it compares four: Xavier, Xavier + FullWD, PRISM, and Xavier "
      "with --rank-power auto.",
      "experiment");
  experiment::Settings settings;
  experiment::declare_options(app, settings);
  return programs::run_program(app, argc, argv, [&]() -> int {
#if !defined(EXPERIMENT_HAS_CUDA)
    prism::require(settings.device == "host", "--device",
                   "cannot be cuda in a program that was built without -DPRISM_CUDA=ON");
#endif
    const programs::DefaultThreads limit(settings.threads);
    try {
      return settings.trials() ? experiment::run_lists(settings) : run_models(settings);
    } catch (const std::bad_alloc&) {
      std::fprintf(
          stderr,
          "experiment: not enough memory; a lower --dim, --batch or --negatives needs less\n");
      return 1;
    }
  });
}
