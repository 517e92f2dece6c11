// SPDX-License-Identifier: BSD-3-Clause
#include "gnuplot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <prism/core/error.hpp>
#include <prism/core/staged_file.hpp>
#include <sstream>
#include <string_view>
#include <system_error>

namespace plot {

namespace {

const char* const style = R"gnuplot(
set encoding utf8
set datafile separator ","
set border 3 linecolor rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid linecolor rgb "#dddddd"
set key top left reverse Left samplen 2 spacing 1.2
set style line 1 linecolor rgb "#888888" linewidth 2 pointtype 7 pointsize 0.6
set style line 2 linecolor rgb "#2166ac" linewidth 2 pointtype 7 pointsize 0.6
set style line 3 linecolor rgb "#c0392b" linewidth 2 pointtype 7 pointsize 0.6
set style line 4 linecolor rgb "#4d9221" linewidth 2 pointtype 7 pointsize 0.6
set style line 5 linecolor rgb "#7b3294" linewidth 2 pointtype 7 pointsize 0.6
set style line 6 linecolor rgb "#e08214" linewidth 2 pointtype 7 pointsize 0.6
)gnuplot";

/// An empty folder for gnuplot's input and output, removed at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "prism_plot_XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  /// Empty if it could not be created.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs gnuplot on a file of commands, which unlike a pipe makes it stop at the first error. In a
/// process group of its own, so that Ctrl-C, which ends this program after its documents are
/// written, does not end it before.
bool run_gnuplot(const std::string& file) {
  ::posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::string program = "gnuplot", argument = file;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  ::pid_t process = 0;
  const int failed =
      ::posix_spawnp(&process, program.c_str(), nullptr, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return false;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The SVG that these commands draw; empty if they fail.
/// @param folder  that the commands' file names are relative to
std::string drawn(const std::string& commands, const std::string& terminal,
                  const std::filesystem::path& folder) {
  const TemporaryFolder temporary;
  if (temporary.path().empty()) return {};
  const std::filesystem::path input = temporary.path() / "commands";
  const std::filesystem::path output = temporary.path() / "picture.svg";
  std::ofstream file(input);
  file << terminal << "set output " << in_quotes(output.string()) << "\ncd "
       << in_quotes(folder.string()) << style << commands << "\nset output\n";
  file.close();
  if (!file || !run_gnuplot(input.string())) return {};
  std::ifstream in(output, std::ios::binary);
  std::string svg{std::istreambuf_iterator<char>(in), {}};
  // gnuplot reports success if the disk is full.
  const std::size_t end = svg.find_last_not_of(" \n");
  if (end == std::string::npos || !svg.substr(0, end + 1).ends_with("</svg>")) return {};
  return svg;
}

}  // namespace

void require_gnuplot(const std::string& folder) {
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
    throw prism::DataError(folder, 0,
                           "pictures are drawn by gnuplot, which is not installed "
                           "(Debian: gnuplot-nox)");
  }
}

std::string in_quotes(const std::string& text) {
  std::string result(1, '\'');
  for (const char c : text) result.append(c == '\'' ? 2 : 1, c);
  result.push_back('\'');
  return result;
}

std::string literal(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("_^@&~{}").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

void draw_svg(const std::string& file, int width, int height, const std::string& commands) {
  const std::filesystem::path final = std::filesystem::absolute(file);
  const std::string terminal = "set terminal svg size " + std::to_string(width) + "," +
                               std::to_string(height) +
                               " font 'Helvetica,Arial,sans-serif,13' background '#ffffff'\n";
  const std::string svg = drawn(commands, terminal, final.parent_path());
  if (svg.empty()) throw prism::DataError(final.string(), 0, "gnuplot could not draw it");
  prism::detail::StagedFile staged(final);
  staged.write(svg);
  staged.publish();
}

void draw_panels(const std::string& file, const std::vector<Panel>& panels, int columns) {
  const int count = static_cast<int>(panels.size());
  columns = std::max(1, std::min(columns, count));
  const int rows = (count + columns - 1) / columns;
  std::ostringstream commands;
  commands.precision(9);
  int block = 0;
  for (const Panel& panel : panels) {
    for (const Line& line : panel.lines) {
      commands << "$b" << block++ << " << EOD\n";
      for (const Point& point : line.points) {
        commands << point.x << ',' << point.y << ',' << point.deviation << '\n';
      }
      commands << "EOD\n";
    }
  }
  if (count > 1) commands << "set multiplot layout " << rows << ',' << columns << "\n";
  block = 0;
  for (const Panel& panel : panels) {
    commands << "set title " << in_quotes(literal(panel.title)) << "\nset xlabel "
             << in_quotes(literal(panel.x_label)) << "\nset ylabel "
             << in_quotes(literal(panel.y_label)) << "\n"
             << (panel.log_x ? "set logscale x\n" : "unset logscale x\n")
             << "set yrange [0:" << (panel.y_max > 0 ? prism::format_number(panel.y_max) : "*")
             << "]\nset key " << (count > 1 ? "above maxrows 2" : "outside right center")
             << " Left reverse samplen 1.5\nset xtics norotate auto\n";
    if (!panel.x_names.empty()) {
      const bool is_long =
          std::ranges::any_of(panel.x_names, [](const auto& name) { return name.size() > 6; });
      commands << "set xtics " << (is_long ? "rotate by -35 left " : "") << "(";
      for (std::size_t k = 0; k < panel.x_names.size(); ++k) {
        commands << (k == 0 ? "" : ", ") << in_quotes(literal(panel.x_names[k])) << ' ' << k;
      }
      commands << ")\nset xrange [-0.3:" << static_cast<double>(panel.x_names.size()) - 0.7
               << "]\n";
    } else {
      commands << "set xrange [*:*]\n";
    }
    commands << "unset arrow\n";
    if (panel.marked_x) {
      const std::string x = prism::format_number(*panel.marked_x);
      commands << "set arrow from " << x << ", graph 0 to " << x
               << ", graph 1 nohead back dashtype 2 linecolor rgb '#222222'\n";
    }
    // The same for all lines of a panel: a short one among long ones would look like a row of
    // points.
    const bool many =
        std::ranges::any_of(panel.lines, [](const Line& line) { return line.points.size() > 25; });
    commands << "plot ";
    for (std::size_t l = 0; l < panel.lines.size(); ++l) {
      const Line& line = panel.lines[l];
      const bool bars = std::ranges::any_of(line.points, [](auto& p) { return p.deviation > 0; });
      commands << (l == 0 ? "" : ", ") << "$b" << block++ << " using 1:2"
               << (!panel.joined && bars ? ":3 with yerrorbars"
                   : !panel.joined       ? " with points"
                   : bars                ? ":3 with yerrorlines"
                   : many                ? " with lines"
                                         : " with linespoints")
               << " linestyle " << 1 + l % 6 << " title " << in_quotes(literal(line.label));
    }
    commands << '\n';
  }
  if (count > 1) commands << "unset multiplot\n";
  const bool single = count == 1;
  draw_svg(file, single ? 760 : columns * 380 + 40, single ? 420 : rows * 330 + 30, commands.str());
}

}  // namespace plot
