// SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG, drawn by gnuplot.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plot {

/// @throws prism::DataError  if gnuplot is not installed; the error names `folder`
void require_gnuplot(const std::string& folder);

/// Draws gnuplot commands, which run in the file's folder, to an SVG. The file is either complete
/// or unchanged.
/// @throws prism::DataError  if gnuplot fails
void draw_svg(const std::string& file, int width, int height, const std::string& commands);

/// Escapes what gnuplot would interpret in the text, such as sub- and superscripts.
std::string literal(const std::string& text);

/// The text in single quotes, with quotes in it doubled.
std::string in_quotes(const std::string& text);

struct Point {
  double x, y;
  double deviation = 0;  // drawn as a bar if above 0
};
struct Line {
  std::string label;
  std::vector<Point> points{};
};
/// One pair of axes.
struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false;
  std::vector<std::string> x_names{};  // in place of numbers: point k is at x = k
  bool joined = true;                  // by lines; false if the names have no order
  double y_max = 0;                    // end of the y axis; 0: as the lines require
  std::vector<Line> lines{};
  std::optional<double> marked_x{};  // a vertical line
};

/// Draws panels side by side, in rows of `columns`.
/// @throws prism::DataError  if gnuplot fails
void draw_panels(const std::string& file, const std::vector<Panel>& panels, int columns);

}  // namespace plot
