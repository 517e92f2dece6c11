// SPDX-License-Identifier: BSD-3-Clause
// File formats of interactions, and options for reading them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// The format of a file.
enum class Format {
  automatic,  ///< detected from its name and its first lines
  delimited,  ///< columns, one interaction per line: MovieLens, CSV, TSV
  adjacency,  ///< a user and all of its items per line, separated by spaces: LightGCN; or by the
              ///< delimiter
  recbole,    ///< columns separated by tabs, below a header of name:type: RecBole's .inter
};

/// The names of all formats, for lists in messages.
inline constexpr std::array<std::pair<Format, std::string_view>, 4> format_names{{
    {Format::automatic, "automatic"},
    {Format::delimited, "delimited"},
    {Format::adjacency, "adjacency"},
    {Format::recbole, "recbole"},
}};

/// The name of a format, as parse_format() reads it.
[[nodiscard]] constexpr std::string_view name_of(Format format) noexcept {
  return format_names[static_cast<std::size_t>(format)].second;
}

/// Returns the format with this name.
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
  automatic,  ///< by the rules in docs/how_to/reading.md; an error if they do not decide it
  yes,
  no,
};

/// A column, by its position from 0 or by its name in the header.
using Column = std::variant<int, std::string>;

/// Column names recognised in a header. Case and characters other than letters and digits are
/// ignored: user_id also matches userId and User-ID.
struct KnownColumns {
  std::array<std::string_view, 14> user{"user_id",     "user",         "uid",         "visitor_id",
                                        "customer_id", "customer",     "reviewer_id", "member_id",
                                        "buyer_id",    "consumer_id",  "account_id",  "person_id",
                                        "user_name",   "review/userId"};
  std::array<std::string_view, 26> item{"item_id",     "item",
                                        "iid",         "movie_id",
                                        "movie",       "product_id",
                                        "product",     "asin",
                                        "isbn",        "book_id",
                                        "business_id", "artist_id",
                                        "track_id",    "song_id",
                                        "game_id",     "app_id",
                                        "anime_id",    "news_id",
                                        "article_id",  "video_id",
                                        "sku",         "venue_id",
                                        "poi_id",      "location_id",
                                        "recipe_id",   "product/productId"};
  std::array<std::string_view, 9> rating{"rating",      "ratings",      "score",
                                         "stars",       "star_rating",  "overall",
                                         "book_rating", "review_score", "review/score"};
  std::array<std::string_view, 9> time{"timestamp", "time",       "unix_review_time",
                                       "unix_time", "datetime",   "date",
                                       "ts",        "created_at", "event_time"};
  /// Columns that are none of these, and so are never taken for user or item by position.
  std::array<std::string_view, 44> other{"event",      "event_type",
                                         "behavior",   "behaviour",
                                         "action",     "title",
                                         "genre",      "genres",
                                         "category",   "category_id",
                                         "price",      "quantity",
                                         "review",     "review_text",
                                         "text",       "summary",
                                         "comment",    "helpful",
                                         "verified",   "review_time",
                                         "review_id",  "transaction_id",
                                         "session_id", "index",
                                         "Unnamed: 0", "lat",
                                         "latitude",   "lon",
                                         "longitude",  "weight",
                                         "count",      "age",
                                         "history",    "plays",
                                         "play_count", "listen_count",
                                         "hours",      "gender",
                                         "country",    "city",
                                         "label",      "notes",
                                         "style",      "status"};
  /// Values, not names, of columns of events: kinds of feedback, and parts of a data set.
  std::array<std::string_view, 47> events{"view",
                                          "click",
                                          "buy",
                                          "purchase",
                                          "cart",
                                          "add_to_cart",
                                          "fav",
                                          "favorite",
                                          "favourite",
                                          "favori",
                                          "like",
                                          "dislike",
                                          "star",
                                          "share",
                                          "comment",
                                          "read",
                                          "play",
                                          "pv",
                                          "listen",
                                          "watch",
                                          "skip",
                                          "follow",
                                          "save",
                                          "bookmark",
                                          "rating",
                                          "rate",
                                          "transaction",
                                          "order",
                                          "wishlist",
                                          "search",
                                          "download",
                                          "install",
                                          "visit",
                                          "checkin",
                                          "impression",
                                          "show",
                                          "exposure",
                                          "collect",
                                          "upvote",
                                          "downvote",
                                          "remove_from_cart",
                                          "open",
                                          "train",
                                          "test",
                                          "valid",
                                          "validation",
                                          "conversion"};
};
/// The names of columns that are recognised without an option.
inline constexpr KnownColumns known_columns{};

/// Interactions with this value in the column form the test set, as in user<tab>item<tab>0/1.
struct TestColumn {
  Column column = 2;
  std::string value = "1";
};

/// For ReadOptions::time: do not read times.
inline constexpr int no_column = -1;
/// For ReadOptions::time: the file lists each user's interactions in chronological order, without a
/// column of times; an interaction's time is its position among those read into the same part
/// (training or test set). For temporal_global_split, the whole file must be in chronological
/// order.
inline constexpr int file_order = -2;

/// Options of read_interactions() and read_train_test().
struct ReadOptions {
  Format format = Format::automatic;
  std::string delimiter = {};  ///< between columns, literally: "::", or a tab character; a space
                               ///< matches any run of spaces and tabs; empty: by format, or
                               ///< detected
  Header header = Header::automatic;  ///< for Format::delimited
  /// The prefix of comment lines, e.g. "#"; empty: there are no comments. Unset: # or %, whichever
  /// the first lines begin with; any other line that begins with # or % is an error.
  std::optional<std::string> comment = {};
  // An unset column is found by its name in the header (known_columns), otherwise by position. If
  // a header's names give only one of user and item, and it is not at its position, the other is
  // the only column left.
  std::optional<Column> user = {};    ///< unset: by name, or column 0
  std::optional<Column> item = {};    ///< unset: by name, or column 1
  std::optional<Column> rating = {};  ///< unset: by name, or column 2 without a header. Read only
                                      ///< for min_rating
  std::optional<Column> time = {};    ///< unset: by name; without a header, column 3 if lines have
                                      ///< four columns and dates, or seconds or milliseconds since
                                      ///< 1970, there, or column 2 if that has them and column 3
                                      ///< has ratings. Or no_column, or file_order
  std::optional<double> min_rating = {};  ///< interactions with lower ratings are left out
  /// Whether min_rating requires a rating column. False: nothing is left out of a file without one;
  /// without a header, column 2 then counts as ratings if it has numbers that are not times; with
  /// drop_invalid, in most of the first lines.
  bool require_rating = true;
  /// Leave out, and count in the summary, lines with a missing or invalid field or another number
  /// of columns; of adjacency lists, single items. False: they are errors.
  bool drop_invalid = false;
  /// Ratings and times have a decimal comma: 4,5.
  bool decimal_comma = false;
  /// A backslash makes a quote, a delimiter, a line break or a backslash behind it part of the
  /// field, as MySQL and Spark write them; not between spaces.
  bool backslash_escapes = false;
  /// Words that stand for a missing user or item, in full; empty: there are none. Unset: NULL, \N,
  /// nan, None, NA and others, in columns whose other ids have digits; "unknown", "missing" and
  /// signs such as "-" only where these are numbers.
  std::optional<std::vector<std::string>> missing_ids = {};
  /// Whether to check that columns found by their position hold users and items, as far as many
  /// interactions of many users show. False for interactions of a few users, or one of each.
  bool training = true;
};

}  // namespace prism::inline PRISM_ISA
