// SPDX-License-Identifier: BSD-3-Clause
#include "elements.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <prism/core/error.hpp>

#include "defaults.hpp"

namespace reproduce {

namespace {

/// An error of reading or splitting, without its advice about options: this program has none.
std::string reading_problem(const prism::Error& error) {
  const auto* const argument = dynamic_cast<const prism::ArgumentError*>(&error);
  const std::string text = argument != nullptr ? argument->problem() : error.what();
  const std::size_t advice = std::min(text.find("; set the option"), text.find("; use the option"));
  return text.substr(0, advice) + "; --help says what it should have";
}

void say_left_out(const std::string& title, const std::string& problem) {
  std::fprintf(stderr, "%s is left out: %s\n", title.c_str(), problem.c_str());
}

/// @param read_all  as of elements_at_hand
std::vector<std::string> left_out_data(Runner& runner, const Selection& selection, bool read_all) {
  std::vector<std::string> all;
  for (const DataSet& data : defaults_data_sets()) {
    std::string problem;
    if (!runner.has(data)) {
      problem = "there is no " + runner.file(data).string();
    } else if (read_all || selection.wants(data)) {
      try {
        runner.check(data);
      } catch (const prism::Error& error) {
        problem = reading_problem(error);
      }
    }
    if (problem.empty()) continue;
    say_left_out(data.title, problem);
    all.push_back(data.title);
  }
  return all;
}

}  // namespace

bool Selection::wants(const std::string& name) const {
  return only.empty() || std::ranges::any_of(only, [&](const std::string& part) {
           const std::string whole = part.ends_with('/') ? part.substr(0, part.size() - 1) : part;
           return name == whole || name.starts_with(whole + "/");
         });
}

bool Selection::wants(const DataSet& data) const {
  const auto wanted = [&](const auto& cell) { return wants(cell.name()); };
  const auto of_data = [&](const Cell& cell) {
    const bool source =
        cell.protocol == Protocol::transferred && source_of(cell).data.name == data.name;
    return (source || cell.data.name == data.name) && wanted(cell);
  };
  return wants(defaults_figure(data).name) || std::ranges::any_of(table1_cells(), of_data) ||
         std::ranges::any_of(figures(data),
                             [&](const Figure& figure) { return wants(figure.name); }) ||
         std::ranges::any_of(benchmarks(), [&](const Benchmark& benchmark) {
           return benchmark.data.name == data.name &&
                  std::ranges::any_of(negatives_cells(benchmark), wanted);
         });
}

Elements elements_at_hand(Runner& runner, const Selection& selection, bool read_all) {
  Elements all{.left_out = left_out_data(runner, selection, read_all)};
  const auto has = [&](const DataSet& data) {
    return std::ranges::find(all.left_out, data.title) == all.left_out.end();
  };
  for (const Cell& cell : table1_cells()) {
    if (has(cell.data)) all.cells.push_back(cell);
  }
  for (const DataSet& data : data_sets()) {
    if (!has(data)) continue;
    for (const Figure& figure : figures(data)) all.figures.emplace_back(figure, data);
  }
  for (const DataSet& data : defaults_data_sets()) {
    if (has(data)) all.figures.emplace_back(defaults_figure(data), data);
  }
  for (const Benchmark& benchmark : benchmarks()) {
    if (!has(benchmark.data)) continue;
    try {
      if (read_all || selection.wants(benchmark.data)) runner.check(benchmark);
    } catch (const prism::Error& error) {
      say_left_out(benchmark.title(), reading_problem(error));
      all.left_out.push_back(benchmark.title());
      continue;
    }
    for (const NegativesCell& cell : negatives_cells(benchmark)) all.negatives.push_back(cell);
  }
  for (const std::string& part : selection.only) {
    const Selection one{.only = {part}};
    const auto cell = [&](const auto& each) { return one.wants(each.name()); };
    const auto figure = [&](const auto& each) { return one.wants(each.first.name); };
    const bool known = std::ranges::any_of(all.cells, cell) ||
                       std::ranges::any_of(all.negatives, cell) ||
                       std::ranges::any_of(all.figures, figure);
    prism::require(known, "--only", "must name elements that --list lists, not '" + part + "'");
  }
  return all;
}

void keep_results(const std::filesystem::path& folder, const std::vector<std::string>& left_out) {
  std::filesystem::path document = folder;
  document += ".md";
  std::ifstream in(document);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("### ") && !line.starts_with("| ")) continue;
    for (const std::string& title : left_out) {
      prism::require(line.find(title) == std::string::npos, "--data",
                     "must have " + title + ", whose results " + document.string() +
                         " would lose; otherwise give another folder as --results, or "
                         "--no-documents");
    }
  }
}

}  // namespace reproduce
