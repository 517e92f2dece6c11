// SPDX-License-Identifier: BSD-3-Clause
#include "reading_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <vector>

#include "number_options.hpp"

namespace programs {

std::optional<prism::Column> column(const std::string& text) {
  if (text.empty()) return std::nullopt;
  int place = 0;
  const char* const end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, place);
      read.ec == std::errc() && read.ptr == end) {
    return place;
  }
  return text;
}

namespace {

/// The words between commas; none if the text is empty.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

prism::ReadOptions ReadingOptions::read_options() const {
  std::optional<prism::Column> time = prism::no_column;
  if (read_times) {
    time = file_order ? prism::file_order : column(time_column);
    // The library's no_column and file_order are negative numbers.
    const int* const number = time && !file_order ? std::get_if<int>(&*time) : nullptr;
    prism::require(number == nullptr || *number >= 0, "time",
                   "must be a column number of at least 0, not " + time_column);
  }
  prism::ReadOptions options{.format = prism::parse_format(format),
                             .delimiter = delimiter,
                             .comment = comment,
                             .user = column(user_column),
                             .item = column(item_column),
                             .rating = column(rating_column),
                             .time = time,
                             .min_rating = min_rating,
                             .drop_invalid = drop_invalid,
                             .decimal_comma = decimal_comma,
                             .backslash_escapes = backslash_escapes,
                             .missing_ids = missing_ids};
  if (header) options.header = prism::Header::yes;
  if (no_header) options.header = prism::Header::no;
  return options;
}

void declare_reading(CLI::App& app, ReadingOptions& options, const std::string& file,
                     const std::string& group) {
  std::vector<std::string> formats;
  for (const auto& [format, name] : prism::format_names) formats.emplace_back(name);
  app.add_option("--format", options.format, "format of the files")
      ->check(CLI::IsMember(formats))
      ->needs(file)
      ->capture_default_str()
      ->group(group);
  app.add_option("--delimiter", options.delimiter,
                 "between columns, \\t for a tab; detected by default")
      ->transform([](std::string text) {
        for (std::size_t at = text.find("\\t"); at != text.npos; at = text.find("\\t", at)) {
          text.replace(at, 2, "\t");
        }
        return text;
      })
      ->needs(file)
      ->group(group);
  const auto declare_column = [&](const std::string& name, std::string& value) {
    app.add_option(name, value, "its number, from 0, or its name")->needs(file)->group(group);
  };
  declare_column("--user-column", options.user_column);
  declare_column("--item-column", options.item_column);
  declare_column("--rating-column", options.rating_column);
  app.add_flag("--header", options.header, "the first line names the columns")
      ->needs(file)
      ->group(group);
  app.add_flag("--no-header", options.no_header, "the first line is an interaction")
      ->needs(file)
      ->excludes("--header")
      ->group(group);
  app.add_option("--comment", options.comment,
                 "what begins a comment line; empty: no comments; detected by default")
      ->needs(file)
      ->group(group);
  app.add_flag("--decimal-comma", options.decimal_comma, "ratings and times such as 4,5")
      ->needs(file)
      ->group(group);
  app.add_flag("--backslash-escapes", options.backslash_escapes,
               "a backslash makes a quote, delimiter or line break part of the field")
      ->needs(file)
      ->group(group);
  app.add_flag("--drop-invalid", options.drop_invalid,
               "leave out, and count, lines with a missing or invalid field")
      ->needs(file)
      ->group(group);
  app.add_option_function<std::string>(
         "--missing-ids",
         [&options](const std::string& words) { options.missing_ids = words_in(words); },
         "words, separated by commas, that stand for a missing id; empty: none; default: NULL, NA "
         "and others, where the other ids have digits")
      ->needs(file)
      ->group(group);
}

void declare_times(CLI::App& app, ReadingOptions& options, const std::string& file,
                   const std::string& group) {
  CLI::Option* const column =
      app.add_option("--time-column", options.time_column, "its number, from 0, or its name")
          ->needs(file)
          ->group(group);
  app.add_flag("--file-order", options.file_order,
               "the file lists each user's interactions in chronological order")
      ->needs(file)
      ->excludes(column)
      ->group(group);
}

void declare_min_rating(CLI::App& app, ReadingOptions& options, const std::string& file,
                        const std::string& group, const std::string& text) {
  app.add_option("--min-rating", options.min_rating, text)
      ->check(number_from(-1e300, false))
      ->needs(file)
      ->group(group);
}

}  // namespace programs
