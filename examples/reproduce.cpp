// SPDX-License-Identifier: BSD-3-Clause
// Repeats the tables and figures of the paper: each element is trained, written as CSV and SVG, and
// put beside the paper's values in one document. What is on record is not trained again.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <prism/serve/staged_files.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "plot/gnuplot.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/results.hpp"
#include "reproduce/runner.hpp"

namespace {

using namespace reproduce;

volatile std::sig_atomic_t signal_received = 0;
void receive(int signal) { signal_received = signal; }

struct Arguments {
  std::string data = "data";
  std::string results = "docs/results";
  std::vector<std::string> only;
  std::size_t seeds = 3;
  std::size_t workers = 0;
  std::size_t first_epochs = 30;
  double budget_hours = 0;
  bool list = false, no_run = false, quiet = false;

  /// Whether an element is asked for: its name, or what it begins with.
  [[nodiscard]] bool wants(const std::string& name) const {
    return only.empty() || std::ranges::any_of(only, [&](const std::string& part) {
             return name == part || name.starts_with(part + "/");
           });
  }
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("--data", arguments.data,
                 "folder with movielens1m/ratings.dat.gz, gowalla/interactions.tsv.gz, "
                 "yelp2018/interactions.tsv.gz, amazonbook/interactions.tsv.gz; those that are "
                 "missing are left out")
      ->envname("PRISM_DATA")
      ->capture_default_str()
      ->check(CLI::ExistingDirectory);
  app.add_option("--results", arguments.results,
                 "folder for records, CSV and SVG; the document is beside it, its name with .md")
      ->capture_default_str();
  app.add_option("--only", arguments.only,
                 "elements, or what their names begin with: table1, "
                 "decay/movielens1m; see --list")
      ->delimiter(',');
  app.add_option("--seeds", arguments.seeds, "the first so many of 123, 246, 492")
      ->check(CLI::Range(1, 3))
      ->capture_default_str();
  app.add_option("--budget", arguments.budget_hours,
                 "hours, after which trials are put aside; another run goes on. 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--workers", arguments.workers, "trials at a time; 0: one a core")
      ->capture_default_str();
  app.add_option("--first-epochs", arguments.first_epochs,
                 "Table 1: after so many epochs the best third of a search goes on; 0: all do, as "
                 "in the paper")
      ->capture_default_str();
  app.add_flag("--list", arguments.list, "list the elements and what is on record");
  app.add_flag("--no-run", arguments.no_run, "write the documents from the records alone");
  app.add_flag("--quiet", arguments.quiet, "show no progress");
}

std::string command(const std::string& name) { return "    ./reproduce.sh --only " + name + "\n"; }

void show(const std::string& element, const prism::QueueProgress& progress) {
  const prism::TrialRecord& last = progress.last;
  std::fprintf(stderr, "%s: %zu of %zu, about %.0f min left; %s (%s): %.5f, %zu epochs, %.0f s\n",
               element.c_str(), progress.done, progress.total, progress.seconds_left / 60,
               last.model.c_str(), label(last.configuration).c_str(), last.validation, last.epochs,
               last.seconds);
}

/// All results, as far as they are on record.
struct Results {
  std::vector<CellResult> cells;
  std::vector<FigureResult> figures;
};

void write_documents(const std::filesystem::path& folder, const Results& results) {
  std::ostringstream text;
  text
      << "# Results\n\nThe tables and figures of the paper (\"On the Role of Weight Decay in "
         "Collaborative Filtering: A\nPopularity Perspective\", KDD 2025), as `reproduce` found "
         "them. It wrote this file from its records,\n[records.jsonl](results/records.jsonl); each "
         "command runs what is missing there. NDCG@20 is on the test\npart, by dot product over "
         "all items that the user has not seen; mean ± standard deviation over seeds,\nwhich also "
         "draw the split. Where there is no deviation, there was one seed.\n\n";
  prism::StagedFiles files(folder);
  text << "## Table 1\n\nMF and MLP, 64 dimensions, rates {0.1, 0.01, 0.001}, decay {0, 1e-8, "
          "1e-6, 1e-4}, chosen by validation with\nthe first seed, patience 10. Protocol \"text\" "
          "is the paper's text, \"code\" its published code (see `Released`\nin the README; "
          "MovieLens with every rating). The paper's column is empty where its value is not "
          "among\nthose known to this program.\n\n"
       << command("table1") << "\n"
       << table1_markdown(results.cells);
  files.write("table1.csv", table1_csv(results.cells));
  for (const FigureResult& figure : results.figures) {
    if (figure.done == 0) continue;
    const std::string file = file_name(figure.figure.name);
    text << "\n## " << figure.figure.title << "\n\n"
         << figure.figure.caption << "\n\n"
         << command(figure.figure.name) << "\n![" << figure.figure.title << "](results/" << file
         << ".svg)\n\n"
         << figure_markdown(figure);
    if (figure.done < figure.total) {
      text << "\n" << figure.done << " of " << figure.total << " trials are on record.\n";
    }
    files.write(file + ".csv", figure_csv(figure));
    draw(figure, folder);
  }
  text << "\n## The theorem\n\nThe expected change of an item's squared magnitude in a step at "
          "cosine 0.9, as the paper fixes it: red rows\ngrow, blue rows shrink.\n\n![Expected "
          "change over popularity and weight decay](results/theorem.svg)\n";
  draw_theorem(folder);
  files.publish();
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  prism::StagedFiles document(whole.parent_path());
  document.write(whole.filename().string() + ".md", text.str());
  document.publish();
}

int reproduce_all(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.results);
  RunnerOptions options{.data = arguments.data,
                        .records = std::filesystem::path(arguments.results) / "records.jsonl",
                        .first_epochs = arguments.first_epochs};
  options.seeds.resize(arguments.seeds);
  options.queue.workers = arguments.workers;
  const prism::detail::Stopwatch time;
  const double budget = arguments.budget_hours * 3600;
  options.queue.interrupted = [=] {
    return signal_received != 0 || (budget > 0 && time.seconds() > budget);
  };
  std::string element;
  if (!arguments.quiet) {
    options.queue.progress = [&](const prism::QueueProgress& progress) { show(element, progress); };
  }
  plot::require_gnuplot(arguments.results);
  Runner runner(options);
  const auto over_elements = [&](const auto& of_cell, const auto& of_figure) {
    for (const Cell& cell : table1_cells()) {
      if (runner.has(cell.data)) of_cell(cell);
    }
    for (const DataSet& data : data_sets()) {
      if (!runner.has(data)) continue;
      for (const Figure& figure : figures(data)) of_figure(figure, data);
    }
  };
  if (!arguments.no_run && !arguments.list) {
    over_elements(
        [&](const Cell& cell) {
          if (!arguments.wants(element = cell.name()) || options.queue.interrupted()) return;
          (void)runner.run(cell);
        },
        [&](const Figure& figure, const DataSet& data) {
          if (!arguments.wants(element = figure.name) || options.queue.interrupted()) return;
          (void)runner.run(figure, data);
        });
  }
  runner.only_read();
  Results results;
  over_elements([&](const Cell& cell) { results.cells.push_back(runner.run(cell)); },
                [&](const Figure& figure, const DataSet& data) {
                  results.figures.push_back(runner.run(figure, data));
                });
  if (arguments.list) {
    for (const CellResult& cell : results.cells) {
      std::printf("%-40s %s\n", cell.cell.name().c_str(),
                  cell.complete() ? "on record" : "not complete");
    }
    for (const FigureResult& figure : results.figures) {
      std::printf("%-40s %zu of %zu trials on record: %s\n", figure.figure.name.c_str(),
                  figure.done, figure.total, figure.figure.title.c_str());
    }
    return 0;
  }
  write_documents(arguments.results, results);
  return signal_received == 0 ? 0 : 128 + signal_received;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Repeats the paper's tables and figures.", "reproduce");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::signal(SIGINT, receive);
  std::signal(SIGTERM, receive);
  try {
    return reproduce_all(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reproduce: %s\n", error.what());
    return 1;
  }
}
