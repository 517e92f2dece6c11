// SPDX-License-Identifier: BSD-3-Clause
// Detects the layout of a file of interactions from the options, its name and its first lines.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/format.hpp"
#include "prism/data/line_reader.hpp"
#include "prism/data/number.hpp"

namespace prism::inline PRISM_ISA {

/// The layout of a file.
struct Layout {
  Format format = Format::delimited;  ///< never automatic
  std::string delimiter = {};
  bool header = false;  ///< the first line has the columns' names
  std::size_t user = 0;
  std::size_t item = 1;
  std::optional<std::size_t> rating = {};  ///< unset: not read
  std::optional<std::size_t> time = {};    ///< unset: not read
  std::optional<std::size_t> part = {};    ///< unset: not read

  /// The columns of a line up to the last one that is read.
  [[nodiscard]] std::size_t columns_to_read() const {
    return 1 + std::max({user, item, rating.value_or(0), time.value_or(0), part.value_or(0)});
  }
};

namespace detail {

/// Detects the layout of one file.
class LayoutFinder {
 public:
  LayoutFinder(const std::filesystem::path& path, const ReadOptions& options, const Column* part)
      : path_(path), lines_(path), options_(options), part_(part) {
    // Enough lines to detect the format, of at most about a megabyte.
    for (std::size_t bytes = 0; bytes < (1U << 20) && first_lines_.size() < 64 && lines_.next();) {
      first_lines_.emplace_back(lines_.line());
      bytes += first_lines_.back().size();
    }
    if (first_lines_.empty()) lines_.fail_whole("is empty");
  }

  Layout find() {
    Layout layout{.format = find_format(), .delimiter = options_.delimiter};
    if (layout.format == Format::adjacency) {
      require(!chooses_columns(), "format",
              "adjacency lists have neither header, delimiter, columns to choose, nor ratings");
      return layout;
    }
    if (layout.delimiter.empty()) {
      layout.delimiter = layout.format == Format::recbole ? "\t" : find_delimiter();
      if (layout.delimiter == " " && !is_column_count(split(first_lines_[0], " ").size(), " ")) {
        lines_.fail_whole(
            "has lines with different numbers of words, as adjacency lists have; these have no "
            "header, columns or ratings");
      }
    }
    layout.header = layout.format == Format::recbole || find_header(layout.delimiter);
    find_columns(layout);
    return layout;
  }

 private:
  /// Whether options are set that do not apply to adjacency lists.
  bool chooses_columns() const {
    return !options_.delimiter.empty() || options_.header == Header::yes || options_.user ||
           options_.item || options_.rating ||
           (options_.time && *options_.time != Column(no_column)) || options_.min_rating || part_;
  }

  Format find_format() {
    if (options_.format != Format::automatic) return options_.format;
    std::filesystem::path name = path_.filename();
    if (name.extension() == ".gz") name = name.stem();
    if (name.extension() == ".inter" || has_types(split(first_lines_[0], "\t"))) {
      return Format::recbole;
    }
    if (!options_.delimiter.empty() || find_delimiter() != " ") return Format::delimited;
    if (chooses_columns()) return Format::delimited;  // find() checks whether it can be
    const std::size_t columns = split(first_lines_[0], " ").size();
    if (columns > 4 || !is_column_count(columns, " ")) return Format::adjacency;
    // Lines of two words are the same interactions in both formats, unless the first is a header.
    if (columns == 2 && !find_header(" ")) return Format::adjacency;
    lines_.fail_whole("has " + std::to_string(columns) +
                      " words on each line, which may be adjacency lists or columns; the option "
                      "format says which: adjacency, or delimited");
  }

  static bool has_types(const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [](const auto& name) { return name.ends_with(":token"); });
  }

  /// The delimiter, from the first line: "::", a tab, one of `,;|`, or else spaces.
  std::string find_delimiter() {
    if (first_lines_[0].find("::") != std::string::npos) return "::";
    if (first_lines_[0].find('\t') != std::string::npos) return "\t";
    std::vector<std::string> found;
    for (const char* const delimiter : {",", ";", "|"}) {
      if (split(first_lines_[0], delimiter).size() > 1) found.emplace_back(delimiter);
    }
    if (found.size() > 1) {
      std::erase_if(found, [&](const std::string& delimiter) {
        return !is_column_count(split(first_lines_[0], delimiter).size(), delimiter);
      });
      if (found.size() != 1) {
        lines_.fail_whole(
            "may be delimited by more than one of , ; and |; the option delimiter says which");
      }
    }
    if (found.size() == 1) return found[0];
    if (std::ranges::none_of(first_lines_,
                             [&](auto& line) { return split(line, " ").size() > 1; })) {
      lines_.fail_whole(
          "holds no tab, comma, '::' or other delimiter that is known; the option delimiter names "
          "another");
    }
    return " ";
  }

  /// Whether all of the first lines have this many columns.
  bool is_column_count(std::size_t columns, const std::string& delimiter) const {
    return std::ranges::all_of(
        first_lines_, [&](const auto& line) { return split(line, delimiter).size() == columns; });
  }

  bool find_header(const std::string& delimiter) const {
    if (options_.header != Header::automatic) return options_.header == Header::yes;
    const auto is_name = [](const auto& column) {
      return column && std::holds_alternative<std::string>(*column);
    };
    if (is_name(options_.user) || is_name(options_.item) || is_name(options_.rating) ||
        is_name(options_.time) || is_name(part_)) {
      return true;
    }
    const auto first = split(first_lines_[0], delimiter);
    if (find_known(first, known_columns.user) || find_known(first, known_columns.item)) return true;
    const auto is_number = [](const std::string& field) { return parse_number(field).has_value(); };
    if (first_lines_.size() < 2 || std::ranges::any_of(first, is_number)) return false;
    const auto second = split(first_lines_[1], delimiter);
    return std::ranges::any_of(second | std::views::drop(2), is_number) ||
           std::ranges::count_if(second, is_number) == 2;
  }

  void find_columns(Layout& layout) const {
    std::vector<std::string> names = split(first_lines_[0], layout.delimiter);
    const bool recbole = layout.format == Format::recbole;
    if (recbole) {
      if (!has_types(names)) {
        fail_first("a RecBole file begins with a header such as user_id:token<tab>item_id:token");
      }
      for (std::string& name : names) name.resize(std::min(name.find(':'), name.size()));
    }
    // With a header columns are found by name, in any order; RecBole's header is required.
    const auto or_known = [&](const std::optional<Column>& column, const auto& known, int place) {
      if (column) return *column;
      if (recbole) return Column(std::string(known[0]));
      const std::optional<std::size_t> found =
          layout.header ? find_known(names, known) : std::nullopt;
      return Column(found ? static_cast<int>(*found) : place);
    };
    layout.user = place(names, or_known(options_.user, known_columns.user, 0), "user");
    layout.item = place(names, or_known(options_.item, known_columns.item, 1), "item");
    if (layout.user == layout.item && !options_.user && !options_.item) {
      fail_first(
          "the header names the user's column or the item's, but not both; the options user "
          "and item do");
    }
    require(layout.user != layout.item, "item", "must be another column than user");
    const auto is_taken = [&](std::size_t column) {
      return column == layout.user || column == layout.item || column == layout.rating ||
             column == layout.part;
    };
    if (options_.min_rating) {
      const std::size_t column =
          place(names, or_known(options_.rating, known_columns.rating, 2), "rating");
      require(!is_taken(column), "rating", "must be another column than user and item");
      layout.rating = column;
    }
    if (part_) {
      const std::size_t column = place(names, *part_, "test column");
      require(!is_taken(column), "test column",
              "must be another column than user, item and rating");
      layout.part = column;
    }
    if (options_.time) {
      const int* const number = std::get_if<int>(&*options_.time);
      if (number == nullptr || *number != no_column) {
        layout.time = place(names, *options_.time, "time");
      }
    } else if (layout.header) {
      const auto found = find_known(names, known_columns.time);
      if (found && !is_taken(*found)) layout.time = found;
    }
    if (!options_.time && !layout.time && !recbole && names.size() == 4 && !is_taken(3)) {
      const std::size_t first = layout.header ? 1 : 0;
      if (first < first_lines_.size()) {
        const auto fields = split(first_lines_[first], layout.delimiter);
        if (fields.size() == 4 && parse_number(fields[3])) layout.time = 3;
      }
    }
  }

  /// The column that has one of the known names.
  template <std::size_t N>
  static std::optional<std::size_t> find_known(const std::vector<std::string>& names,
                                               const std::array<std::string_view, N>& known) {
    for (const std::string_view wanted : known) {
      for (std::size_t column = 0; column < names.size(); ++column) {
        const bool same = std::ranges::equal(names[column], wanted, {}, [](char c) {
          return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        });
        if (same) return column;
      }
    }
    return std::nullopt;
  }

  std::size_t place(const std::vector<std::string>& names, const Column& column,
                    const char* option) const {
    if (const int* const number = std::get_if<int>(&column)) {
      require(*number >= 0, option, "must be a column from 0 on, not " + std::to_string(*number));
      return static_cast<std::size_t>(*number);
    }
    const auto found = std::ranges::find(names, std::get<std::string>(column));
    if (found == names.end()) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      fail_first("no column is called '" + std::get<std::string>(column) + "' (option " + option +
                 "); there are: " + known);
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  [[noreturn]] void fail_first(const std::string& problem) const {
    // The reader is already past the first line.
    throw DataError(path_.string(), 1, problem);
  }

  /// A line's columns; none if its quotes do not match.
  static std::vector<std::string> split(const std::string& line, const std::string& delimiter) {
    FieldSplitter fields(delimiter);
    if (!fields.split(line)) return {};
    return {fields.begin(), fields.end()};
  }

  std::filesystem::path path_;
  LineReader lines_;
  ReadOptions options_;
  const Column* part_;
  std::vector<std::string> first_lines_;
};

}  // namespace detail

/// The layout of a file.
/// @param part  the column that says which part of the data an interaction belongs to; null: none
/// @throws DataError      if the file cannot be read, is empty, or its format is ambiguous
/// @throws ArgumentError  for incompatible options
[[nodiscard]] inline Layout find_layout(const std::filesystem::path& path,
                                        const ReadOptions& options, const Column* part = nullptr) {
  return detail::LayoutFinder(path, options, part).find();
}

}  // namespace prism::inline PRISM_ISA
