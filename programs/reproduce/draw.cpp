// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <prism/theory/magnitude.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "plot/gnuplot.hpp"
#include "results.hpp"

namespace reproduce {

namespace {

const std::array<const char*, 3> stratum_titles{"popular", "neutral", "unpopular"};

/// Axes with one position per parameter value: a logarithmic axis has none for a weight decay of 0.
plot::Panel panel_over_values(const Figure& figure, const SeriesResult& series, std::string title,
                              std::string y_label) {
  plot::Panel panel{.title = std::move(title),
                    .x_label = figure.parameter == "lambda" ? "weight decay" : figure.parameter,
                    .y_label = std::move(y_label)};
  for (const SeriesPoint& point : series.points) {
    panel.x_names.push_back(std::isnan(point.value) ? series.series.title
                                                    : prism::format_number(point.value));
  }
  return panel;
}

plot::Line line_over_values(std::string label, const SeriesResult& series, const auto& of) {
  plot::Line line{.label = std::move(label)};
  for (std::size_t p = 0; p < series.points.size(); ++p) {
    const prism::Statistic statistic = over(series.points[p].runs, of);
    if (statistic.count == 0) continue;
    line.points.push_back({static_cast<double>(p), statistic.mean, statistic.deviation});
  }
  return line;
}

std::vector<plot::Panel> strata_panels(const FigureResult& result) {
  std::vector<plot::Panel> panels;
  if (result.figure.parameter.empty()) {
    // One position per series.
    plot::Panel panel{
        .title = result.figure.title, .x_label = "", .y_label = "NDCG@20", .joined = false};
    for (const SeriesResult& series : result.series) panel.x_names.push_back(series.series.title);
    for (std::size_t s = 0; s < 4; ++s) {
      plot::Line line{.label = s == 0 ? "all" : stratum_titles[s - 1]};
      for (std::size_t k = 0; k < result.series.size(); ++k) {
        const prism::Statistic statistic =
            over(result.series[k].points.front().runs, [s](const auto& run) {
              return s == 0 ? run.report->dot.ndcg : run.report->dot.ndcg_by_stratum[s - 1];
            });
        if (statistic.count == 0) continue;
        line.points.push_back({static_cast<double>(k), statistic.mean, statistic.deviation});
      }
      panel.lines.push_back(std::move(line));
    }
    return {panel};
  }
  for (const SeriesResult& series : result.series) {
    plot::Panel panel = panel_over_values(result.figure, series, series.series.title, "NDCG@20");
    panel.lines.push_back(
        line_over_values("all", series, [](const auto& run) { return run.report->dot.ndcg; }));
    for (std::size_t s = 0; s < 3; ++s) {
      panel.lines.push_back(line_over_values(stratum_titles[s], series, [s](const auto& run) {
        return run.report->dot.ndcg_by_stratum[s];
      }));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<plot::Panel> quality_panels(const FigureResult& result) {
  plot::Panel quality =
      panel_over_values(result.figure, result.series.front(), "by dot product", "NDCG@20");
  plot::Panel cosine = quality, epochs = quality;
  cosine.title = "by cosine";
  epochs.title = "epochs";
  epochs.y_label = "best epoch";
  for (const SeriesResult& series : result.series) {
    const std::string& title = series.series.title;
    quality.lines.push_back(
        line_over_values(title, series, [](const auto& run) { return run.report->dot.ndcg; }));
    cosine.lines.push_back(
        line_over_values(title, series, [](const auto& run) { return run.report->cosine.ndcg; }));
    epochs.lines.push_back(line_over_values(
        title, series, [](const auto& run) { return static_cast<double>(run.best_epoch); }));
  }
  return {quality, cosine, epochs};
}

/// @param title        appended to the figure's
/// @param validations  the values of each epoch, which are drawn
plot::Panel curves_panel(const FigureResult& result, const char* title,
                         std::vector<double> prism::TrialRecord::* validations) {
  plot::Panel panel{.title = result.figure.title + ", " + title,
                    .x_label = "epoch",
                    .y_label = "validation NDCG@20",
                    .log_x = true};
  for (const SeriesResult& series : result.series) {
    const auto& runs = series.points.front().runs;
    plot::Line line{.label = series.series.title};
    if (!runs.empty()) {
      const std::vector<double>& values = runs.front().*validations;
      for (std::size_t e = 0; e < values.size(); ++e) {
        line.points.push_back({static_cast<double>(e + 1), values[e]});
      }
    }
    panel.lines.push_back(std::move(line));
  }
  return panel;
}

std::vector<plot::Panel> panels_of(const FigureResult& result) {
  const Figure& figure = result.figure;
  switch (figure.shown) {
    case Shown::strata:
      return strata_panels(result);
    case Shown::quality:
      return quality_panels(result);
    case Shown::ratio: {
      plot::Panel panel = panel_over_values(figure, result.series.front(), figure.title,
                                            "unpopular / popular NDCG@20");
      for (const SeriesResult& series : result.series) {
        panel.lines.push_back(line_over_values(series.series.title, series, unpopular_to_popular));
      }
      return {panel};
    }
    case Shown::magnitudes: {
      plot::Panel panel{.title = figure.title,
                        .x_label = "item popularity + 1",
                        .y_label = "mean magnitude",
                        .log_x = true};
      for (const SeriesResult& series : result.series) {
        const auto& runs = series.points.front().runs;
        plot::Line line{.label = series.series.title};
        if (!runs.empty() && runs.front().report) {
          for (const prism::MagnitudeBin& bin : runs.front().report->magnitudes) {
            line.points.push_back({bin.popularity + 1, bin.magnitude});
          }
        }
        panel.lines.push_back(std::move(line));
      }
      return {panel};
    }
    case Shown::curves: {
      std::vector<plot::Panel> panels{
          curves_panel(result, "by dot product", &prism::TrialRecord::validations)};
      plot::Panel cosine =
          curves_panel(result, "by cosine", &prism::TrialRecord::validations_by_cosine);
      const auto empty = [](const plot::Line& line) { return line.points.empty(); };
      // Records made for another figure have no cosine values.
      if (std::ranges::none_of(cosine.lines, empty)) panels.push_back(std::move(cosine));
      return panels;
    }
    case Shown::rates:  // one table of all data sets, see defaults.hpp
      return {};
  }
  return {};
}

}  // namespace

bool draw(const FigureResult& result, const std::filesystem::path& folder) {
  std::vector<plot::Panel> panels = panels_of(result);
  for (plot::Panel& panel : panels) {
    std::erase_if(panel.lines, [](const plot::Line& line) { return line.points.empty(); });
  }
  std::erase_if(panels, [](const plot::Panel& panel) { return panel.lines.empty(); });
  if (panels.empty()) return false;
  const int columns = panels.size() == 1       ? 1
                      : panels.size() % 4 == 0 ? 4
                      : panels.size() == 3     ? 3
                                               : 2;
  plot::draw_panels((folder / (file_name(result.figure.name) + ".svg")).string(), panels, columns);
  return true;
}

void draw_theorem(const std::filesystem::path& folder) {
  prism::TheoremSetting setting{.learning_rate = 0.1,
                                .pair = {.item = 1, .cosine = 0.9},
                                .batches = {.pairs = 800'000, .batch_size = 4096}};
  std::ostringstream commands;
  commands.precision(9);
  commands << "$cells << EOD\n";
  for (int x = 0; x <= 40; ++x) {
    for (int y = 0; y <= 40; ++y) {
      setting.popularity = static_cast<std::int64_t>(std::lround(std::pow(10.0, x / 10.0)));
      setting.lambda = std::pow(10.0, -4 + y / 10.0);
      commands << x / 10.0 << ',' << -4 + y / 10.0 << ',' << prism::expected_change(setting)
               << '\n';
    }
    commands << '\n';
  }
  commands
      << "EOD\nset title 'Expected change of an item''s squared magnitude in a step, cosine "
         "0.9'\nset xlabel 'log10 of the popularity'\nset ylabel 'log10 of the weight "
         "decay'\nset cblabel 'expected change' offset 1\nset palette defined (-1 '#2166ac', 0 "
         "'#ffffff', 1 '#c0392b')\nset cbrange [-0.002:0.002]\nset xrange [0:4]\nset yrange "
         "[-4:0]\nunset key\nplot $cells using 1:2:3 with image\n";
  plot::draw_svg((folder / "theorem.svg").string(), 640, 440, commands.str());
}

}  // namespace reproduce
