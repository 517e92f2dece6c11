// SPDX-License-Identifier: BSD-3-Clause
// Pictures as SVG, drawn by gnuplot.
#pragma once

#include <string>
#include <vector>

namespace plot {

/// @throws prism::DataError  where gnuplot is not installed; it names `folder`
void require_gnuplot(const std::string& folder);

/// Draws gnuplot commands, which run in the file's folder, to an SVG. The file is complete or not
/// changed.
/// @throws prism::DataError  where gnuplot fails
void draw_svg(const std::string& file, int width, int height, const std::string& commands);

/// The text with escapes for what gnuplot would interpret, such as sub- and superscript.
std::string literal(const std::string& text);

/// Single quotes, with quotes doubled.
std::string in_quotes(const std::string& text);

struct Point {
  double x, y;
  double deviation = 0;  // drawn as a bar where above 0
};
struct Line {
  std::string label;
  std::vector<Point> points{};
};
/// One pair of axes.
struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<std::string> x_names{};  // in place of numbers: point k is at x = k
  bool joined = true;                  // by lines; not where the names have no order
  double y_max = 0;                    // where the y axis ends; 0: where the lines need it
  std::vector<Line> lines{};
};

/// Draws panels side by side, in rows of `columns`.
/// @throws prism::DataError  where gnuplot fails
void draw_panels(const std::string& file, const std::vector<Panel>& panels, int columns);

}  // namespace plot
