// SPDX-License-Identifier: BSD-3-Clause
// Repeats the paper's tables and figures, and compares losses with many negatives with published
// results: trains each element, writes it as CSV and SVG, and sets it beside the published values
// in one document. Does not train again what is on record.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <prism/core/error.hpp>
#include <prism/training/stopwatch.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "experiment/interrupt.hpp"
#include "number_options.hpp"
#include "option_names.hpp"
#include "plot/gnuplot.hpp"
#include "program.hpp"
#include "reproduce/document.hpp"
#include "reproduce/elements.hpp"
#include "reproduce/negatives.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/runner.hpp"
#include "thread_limit.hpp"

namespace {

using namespace reproduce;

struct Arguments {
  std::string data = "data";
  std::string results = "docs/evidence/results";
  Selection selection;
  std::size_t seeds = 3;
  std::size_t workers = 0;
  std::string device = "host";
  std::optional<std::size_t> first_epochs{};
  double budget_hours = 0;
  bool list = false, no_run = false, no_documents = false, quiet = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--data", arguments.data,
                 "folder with ml100k/u.data, movielens1m/ratings.dat.gz (user::item::rating), and "
                 "gowalla/, yelp2018/ and amazonbook/interactions.tsv.gz (user, item, and 1 for "
                 "LightGCN's test set or 0, between tabs); missing ones are left out")
      ->envname("PRISM_DATA")
      ->capture_default_str()
      ->check(CLI::ExistingDirectory);
  app.add_option("--results", arguments.results,
                 "folder for records, CSV and SVG; the document is beside it, its name with .md")
      ->check(programs::named("a folder"))
      ->capture_default_str();
  app.add_option("--only", arguments.selection.only,
                 "elements, or what their names begin with: table1, "
                 "decay/movielens1m, defaults, negatives/gowalla; see --list")
      ->delimiter(',');
  app.add_option("--seeds", arguments.seeds, "the first so many of 123, 246, 492")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app.add_option("--budget", arguments.budget_hours,
                 "hours, after which trials are paused; another run resumes them. 0: no limit")
      ->check(programs::number_from(0, false))
      ->capture_default_str();
  app.add_option("--workers", arguments.workers, "trials at a time; 0: one a core")
      ->capture_default_str();
  app.add_option("--device", arguments.device,
                 "where models are trained; results of another device are not taken for this one's")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->capture_default_str();
  app.add_option(
      "--first-epochs", arguments.first_epochs,
      "Table 1 and negatives: number of epochs after which the best third of a search is kept; 0: "
      "all are, as in the paper. Not given: 30; 10 for the longest searches and most of negatives");
  app.add_flag("--list", arguments.list, "list the elements and what is on record");
  auto* const no_run =
      app.add_flag("--no-run", arguments.no_run,
                   "write the documents from the records, training nothing; the data are needed");
  app.add_flag("--no-documents", arguments.no_documents,
               "train and record alone, where there is no gnuplot")
      ->excludes(no_run);
  app.add_flag("--quiet", arguments.quiet, "show no progress");
}

void show(const std::string& element, const prism::QueueProgress& progress) {
  const prism::TrialRecord& last = progress.last;
  // A search has several queues, one for each rung and one for the chosen candidates.
  std::fprintf(stderr,
               "%s: trial %zu of %zu of this step, about %.0f min left in it; %s (%s): %.5f, %zu "
               "epochs, %.0f s\n",
               element.c_str(), progress.done, progress.total, progress.seconds_left / 60,
               last.model.c_str(), label(last.configuration).c_str(), last.validation, last.epochs,
               last.seconds);
}

void list(Runner& runner, const Elements& elements, const Arguments& arguments) {
  const auto list_cell = [&](const auto& cell) {
    if (!arguments.selection.wants(cell.name())) return;
    const auto result = runner.run(cell);
    const std::string note = result.note().empty() ? "not complete" : result.note();
    std::printf("%-40s %s\n", cell.name().c_str(), result.on_record() ? "on record" : note.c_str());
  };
  for (const Cell& cell : elements.cells) list_cell(cell);
  for (const auto& [figure, data] : elements.figures) {
    if (!arguments.selection.wants(figure.name)) continue;
    const FigureResult result = runner.run(figure, data);
    std::printf("%-40s %zu of %zu trials on record: %s\n", figure.name.c_str(), result.done,
                result.total, figure.title.c_str());
  }
  for (const NegativesCell& cell : elements.negatives) list_cell(cell);
}

Results results_on_record(Runner& runner, const Elements& elements) {
  // Reads all seeds, also those that this run left out.
  runner.only_read(all_seeds());
  Results results;
  for (const Cell& cell : elements.cells) results.cells.push_back(runner.run(cell));
  for (const auto& [figure, data] : elements.figures) {
    results.figures.push_back(runner.run(figure, data));
  }
  for (const NegativesCell& cell : elements.negatives) {
    results.negatives.push_back(runner.run(cell));
  }
  return results;
}

int reproduce_all(const Arguments& arguments) {
  std::filesystem::path folder = std::filesystem::absolute(arguments.results).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "results/"
  if (!arguments.list) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    prism::require(!error, "--results",
                   "cannot be created: " + folder.string() + ": " + error.message());
  }
  RunnerOptions options{.data = arguments.data,
                        .records = folder / "records.jsonl",
                        .first_epochs = arguments.first_epochs};
  options.seeds.resize(arguments.seeds);
  options.queue.workers = arguments.workers;
  options.device = arguments.device;
  options.queue.read_only = arguments.list || arguments.no_run;
  const prism::detail::Stopwatch time;
  const double budget = arguments.budget_hours * 3600;
  const auto interrupted = [=] {
    return experiment::caught_signal() != 0 || (budget > 0 && time.seconds() > budget);
  };
  options.queue.interrupted = interrupted;
  std::string element;
  if (!arguments.quiet) {
    options.queue.progress = [&](const prism::QueueProgress& progress) { show(element, progress); };
  }
  Runner runner(options);
  const Elements elements =
      elements_at_hand(runner, arguments.selection, !arguments.list && !arguments.no_documents);
  if (arguments.list) {
    list(runner, elements, arguments);
    return 0;
  }
  if (!arguments.no_documents) {
    plot::require_gnuplot(folder.string());
    keep_results(folder, elements.left_out);
  }
  if (!arguments.no_run) {
    for (const Cell& cell : elements.cells) {
      if (interrupted() || !arguments.selection.wants(element = cell.name())) continue;
      const std::string waits_for = runner.run(cell).waits_for;
      if (!waits_for.empty()) {
        std::fprintf(stderr, "%s takes the hyperparameters of %s, which is not on record\n",
                     element.c_str(), waits_for.c_str());
      }
    }
    for (const auto& [figure, data] : elements.figures) {
      if (!interrupted() && arguments.selection.wants(element = figure.name))
        (void)runner.run(figure, data);
    }
    for (const NegativesCell& cell : elements.negatives) {
      if (!interrupted() && arguments.selection.wants(element = cell.name()))
        (void)runner.run(cell);
    }
  }
  const bool stopped = !arguments.no_run && interrupted();
  if (!arguments.no_documents) write_documents(folder, results_on_record(runner, elements));
  if (stopped || experiment::caught_signal() != 0) {
    std::fprintf(stderr, "ended %s; run the same command to continue\n",
                 experiment::caught_signal() == 0 ? "as --budget has passed" : "by a signal");
  }
  return experiment::caught_signal() == 0 ? 0 : 128 + experiment::caught_signal();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Repeats the paper's tables and figures, and trains losses with many negatives.",
               "reproduce");
  Arguments arguments;
  declare(app, arguments);
  return programs::run_program(app, argc, argv, [&] {
    const programs::DefaultThreads limit(std::nullopt);
    experiment::catch_signals();
    return reproduce_all(arguments);
  });
}
