// SPDX-License-Identifier: BSD-3-Clause
// File formats of interactions, and options of reading them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// The format of a file.
enum class Format {
  automatic,  ///< detected from its name and its first lines
  delimited,  ///< columns, one interaction per line: MovieLens, CSV, TSV
  adjacency,  ///< a user and all of its items per line, separated by spaces: LightGCN
  recbole,    ///< columns separated by tabs, below a header of name:type: RecBole's .inter
};

inline constexpr std::array<std::pair<Format, std::string_view>, 4> format_names{{
    {Format::automatic, "automatic"},
    {Format::delimited, "delimited"},
    {Format::adjacency, "adjacency"},
    {Format::recbole, "recbole"},
}};

[[nodiscard]] constexpr std::string_view name_of(Format format) noexcept {
  return format_names[static_cast<std::size_t>(format)].second;
}

/// The format of that name.
/// @throws ArgumentError  if there is none; the message lists the names
[[nodiscard]] inline Format parse_format(std::string_view name) {
  std::string choices;
  for (const auto& [format, format_name] : format_names) {
    if (name == format_name) return format;
    choices += (choices.empty() ? "" : ", ") + std::string(format_name);
  }
  throw ArgumentError("format", "must be one of " + choices + ", not '" + std::string(name) + "'");
}

/// Whether the first line names the columns.
enum class Header {
  automatic,  ///< yes if it has a name of known_columns for user or item; or if it has no number
              ///< but the second line does: in a column after the ids, or in both ids
  yes,
  no,
};

/// A column, by its position from 0 or by its name in the header.
using Column = std::variant<int, std::string>;

/// Column names recognised in a header, ignoring case.
struct KnownColumns {
  std::array<std::string_view, 4> user{"user_id", "userid", "user", "uid"};
  std::array<std::string_view, 6> item{"item_id", "itemid", "item", "movie_id", "movieid", "iid"};
  std::array<std::string_view, 1> rating{"rating"};
  std::array<std::string_view, 2> time{"timestamp", "time"};
};
inline constexpr KnownColumns known_columns{};

/// For ReadOptions::time: do not read times.
inline constexpr int no_column = -1;

struct ReadOptions {
  Format format = Format::automatic;
  std::string delimiter = {};         ///< between columns, e.g. "::"; empty: by format, or detected
  Header header = Header::automatic;  ///< for Format::delimited
  // An unset column is found by a name of known_columns in the header, otherwise by position.
  std::optional<Column> user = {};    ///< unset: by name, or column 0
  std::optional<Column> item = {};    ///< unset: by name, or column 1
  std::optional<Column> rating = {};  ///< unset: by name, or column 2. Read for min_rating
  std::optional<Column> time = {};    ///< unset: by name; or column 3, if lines have four and the
                                      ///< first one has a number there
  std::optional<double> min_rating = {};  ///< interactions with lower ratings are left out
};

}  // namespace prism::inline PRISM_ISA
