// SPDX-License-Identifier: BSD-3-Clause
// The options, shared by the programs, that describe a file of interactions.
#pragma once

#include <optional>
#include <prism/data/format.hpp>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace programs {

/// A column by its number, from 0, or by its name in the header; none if the text is empty.
[[nodiscard]] std::optional<prism::Column> column(const std::string& text);

struct ReadingOptions {
  std::string format = "automatic";
  std::string delimiter;
  std::string user_column, item_column, rating_column;  // empty: detected
  bool header = false, no_header = false;               // neither: detected
  std::optional<std::string> comment;                   // unset: detected
  std::optional<double> min_rating;
  bool drop_invalid = false, decimal_comma = false, backslash_escapes = false;
  std::optional<std::vector<std::string>> missing_ids;  // unset: the library's
  std::string time_column;                              // empty: detected if read_times
  bool file_order = false;                              // the file's order is that of time
  bool read_times = false;

  [[nodiscard]] prism::ReadOptions read_options() const;
};

/// Declares --format, --delimiter, the columns, --header, --no-header, --comment,
/// --decimal-comma, --backslash-escapes, --drop-invalid and --missing-ids.
/// @param file   the option that names the file, such as "--data"
/// @param group  heading in the help
void declare_reading(CLI::App& app, ReadingOptions& options, const std::string& file,
                     const std::string& group);

/// Declares --time-column and --file-order. Times are read if read_times is set.
void declare_times(CLI::App& app, ReadingOptions& options, const std::string& file,
                   const std::string& group);

/// Declares --min-rating. @param text  for the help
void declare_min_rating(CLI::App& app, ReadingOptions& options, const std::string& file,
                        const std::string& group,
                        const std::string& text = "leave out lower ratings");

}  // namespace programs
