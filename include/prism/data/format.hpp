// SPDX-License-Identifier: BSD-3-Clause
// What a file of interactions may look like, and what to take from it.
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

/// How a file is laid out.
enum class Format {
  automatic,  ///< found out from its name and its first lines
  delimited,  ///< an interaction a line, in columns: MovieLens, CSV, TSV
  adjacency,  ///< a user and all of its items a line, separated by spaces: LightGCN
  recbole,    ///< in columns below a header of name:type, separated by tabs: RecBole's .inter
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
/// @throws ArgumentError where there is none; it lists the names
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
  automatic,  ///< yes where it has a user's or an item's name of known_columns; or where it holds
              ///< no number, but the second line does: right of the ids, or as both ids
  yes,
  no,
};

/// A column, by its place from 0 on or by its name in the header.
using Column = std::variant<int, std::string>;

/// The names by which a header tells its columns, in capitals or not.
struct KnownColumns {
  std::array<std::string_view, 4> user{"user_id", "userid", "user", "uid"};
  std::array<std::string_view, 6> item{"item_id", "itemid", "item", "movie_id", "movieid", "iid"};
  std::array<std::string_view, 1> rating{"rating"};
  std::array<std::string_view, 2> time{"timestamp", "time"};
};
inline constexpr KnownColumns known_columns{};

/// For ReadOptions::time: the file's times are left out.
inline constexpr int no_column = -1;

struct ReadOptions {
  Format format = Format::automatic;
  std::string delimiter = {};  ///< between columns, e.g. "::"; empty: by format, or found out
  Header header = Header::automatic;  ///< for Format::delimited
  // Columns that are not chosen here go by the header, where it has a name of known_columns, and
  // else by place.
  std::optional<Column> user = {};    ///< unset: by name, or column 0
  std::optional<Column> item = {};    ///< unset: by name, or column 1
  std::optional<Column> rating = {};  ///< unset: by name, or column 2. Read for min_rating
  std::optional<Column> time = {};  ///< unset: by name; or column 3, where lines have four and the
                                    ///< first of them has a number there
  std::optional<double> min_rating = {};  ///< interactions rated lower are left out
};

}  // namespace prism::inline PRISM_ISA
