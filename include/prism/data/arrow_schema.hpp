// SPDX-License-Identifier: BSD-3-Clause
// Which columns of an Arrow table are read, and what their types must be.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/arrow_abi.hpp"
#include "prism/data/arrow_column.hpp"
#include "prism/data/arrow_owned.hpp"
#include "prism/data/column_names.hpp"
#include "prism/data/format.hpp"

namespace prism::inline PRISM_ISA {

/// What read_arrow() does with a row that has a null in a column that is read.
enum class ArrowNulls {
  refuse,  ///< an error that names the column and the row
  drop,    ///< leaves the row out
};

/// Options of read_arrow().
struct ArrowReadOptions {
  // An unset column is found by its name (known_columns). If neither user nor item is found, they
  // are the first and the second column; if one is found in a table of two columns, the remaining
  // column is the other. A column whose name is known for something else is an error there.
  std::optional<Column> user = {};        ///< unset: by name
  std::optional<Column> item = {};        ///< unset: by name
  std::optional<Column> rating = {};      ///< unset: by name. Read only for min_rating
  std::optional<Column> time = {};        ///< unset: by name; no_column: not read; file_order: rows
                                          ///< are in chronological order
  std::optional<double> min_rating = {};  ///< rows with lower ratings are left out
  ArrowNulls nulls = ArrowNulls::refuse;
};

namespace detail {

/// A column that is read: where it is, and its type.
struct ArrowField {
  std::size_t place;
  std::string column;  ///< in a summary: "0 'user'"
  std::string label;   ///< in errors: "column 'user' (format 'u')"
  ArrowType type;      ///< of the indices, if there is a dictionary
  std::optional<ArrowType> dictionary;
};

/// The columns that read_arrow() reads.
struct ArrowFields {
  ArrowField user, item;
  std::optional<ArrowField> rating, time;
};

/// Finds the columns in a schema.
class ArrowFieldFinder {
 public:
  /// @throws DataError  for a schema that does not describe a record batch
  explicit ArrowFieldFinder(const ArrowSchema& schema) : schema_(schema) {
    const std::string_view format = schema.format == nullptr ? "" : schema.format;
    if (format != "+s") {
      fail_arrow("has the format " + arrow_quoted(format) +
                 "; it must be a table, that is, a record batch or a stream of them ('+s')");
    }
    if (schema.n_children < 2 || schema.children == nullptr) {
      fail_arrow("has " + std::to_string(schema.n_children) +
                 " columns; a table of interactions must have at least two, users and items");
    }
    for (std::int64_t k = 0; k < schema.n_children; ++k) {
      const ArrowSchema* const child = schema.children[k];
      if (child == nullptr || child->release == nullptr || child->format == nullptr) {
        fail_arrow("has no schema of column " + std::to_string(k) + " (from 0)");
      }
      names_.emplace_back(child->name == nullptr ? "" : child->name);
    }
  }

  /// @throws DataError      if a column is not found, or its type does not suit its purpose
  /// @throws ArgumentError  for options that name one column twice
  [[nodiscard]] ArrowFields find(const ArrowReadOptions& options) const {
    const auto [user, item] = users_and_items(options);
    ArrowFields fields{id_field(user), id_field(item), {}, {}};
    std::vector<std::size_t> taken{user, item};
    const auto take = [&](const char* option, std::size_t column) {
      require(std::find(taken.begin(), taken.end(), column) == taken.end(), option,
              "must not be the same column as another option's, " + arrow_quoted(names_[column]));
      taken.push_back(column);
    };
    if (options.min_rating) {
      const auto rating =
          options.rating ? place("rating", *options.rating) : known("rating", known_columns.rating);
      if (!rating) {
        fail_arrow(
            "min_rating is set, but no column has a known name for a rating (option rating)" +
            there_are());
      }
      take("rating", *rating);
      fields.rating = number_field(*rating, "a rating", "an integer or a float: cast it to float64",
                                   [](const ArrowType& type) {
                                     return type.is_integer() || type.kind == ArrowType::Kind::real;
                                   });
    }
    if (const auto time = time_column(options, taken)) {
      take("time", *time);
      fields.time = number_field(
          *time, "a time", "a number, a timestamp or a date: cast it to one, or pass no_column",
          [](const ArrowType& type) { return !type.is_text(); });
    }
    return fields;
  }

 private:
  struct UserAndItem {
    std::size_t user, item;
  };

  [[nodiscard]] UserAndItem users_and_items(const ArrowReadOptions& options) const {
    auto user = options.user ? place("user", *options.user) : known("user", known_columns.user);
    auto item = options.item ? place("item", *options.item) : known("item", known_columns.item);
    if (!user && !item) {
      user = 0;
      item = 1;
    } else if ((!user || !item) && names_.size() == 2) {
      if (!user) user = 1 - *item;
      if (!item) item = 1 - *user;
    } else if (!user || !item) {
      fail_arrow(std::string("no column has a known name for ") + (user ? "an item" : "a user") +
                 " (option " + (user ? "item" : "user") + ")" + there_are());
    }
    require(*user != *item, "item", "must not be the same column as user");
    // A column with a known name for something else is not taken for ids by its position.
    for (const std::size_t column : {*user, *item}) {
      const bool chosen = column == *user ? options.user.has_value() : options.item.has_value();
      if (!chosen && is_no_id(names_[column])) {
        fail_arrow(
            "column " + arrow_quoted(names_[column]) +
            " has no ids, judging by its name; use the options user and item to choose the columns "
            "of ids" +
            there_are());
      }
    }
    return {*user, *item};
  }

  /// The column that the option chooses, or that has the first of the known names, as in files: a
  /// table with several of them is no error, because most callers need no times.
  [[nodiscard]] std::optional<std::size_t> time_column(
      const ArrowReadOptions& options, const std::vector<std::size_t>& taken) const {
    if (!options.time) {
      for (const std::string_view name : known_columns.time) {
        for (std::size_t k = 0; k < names_.size(); ++k) {
          const bool free = std::find(taken.begin(), taken.end(), k) == taken.end();
          if (free && plain_name(names_[k]) == plain_name(name)) return k;
        }
      }
      return std::nullopt;
    }
    const int* const number = std::get_if<int>(&*options.time);
    if (number != nullptr && (*number == no_column || *number == file_order)) return std::nullopt;
    return place("time", *options.time);
  }

  /// The column with the first of these names, or else the only one with any of them.
  /// @throws DataError  if there are several
  template <class Names>
  [[nodiscard]] std::optional<std::size_t> known(const char* option, const Names& names) const {
    const auto first =
        only(option, [&](std::size_t k) { return plain_name(names_[k]) == plain_name(names[0]); });
    return first ? first : only(option, [&](std::size_t k) { return is_known(names_[k], names); });
  }

  /// The only column that is_sought() accepts, if any; fails if there are several.
  template <class IsSought>
  [[nodiscard]] std::optional<std::size_t> only(const char* option,
                                                const IsSought& is_sought) const {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!is_sought(k)) continue;
      if (found) {
        fail_arrow("columns " + std::to_string(*found) + " and " + std::to_string(k) +
                   " (from 0) both match, " + arrow_quoted(names_[*found]) + " and " +
                   arrow_quoted(names_[k]) + "; use the option " + option +
                   " to choose one, by its number if the names are equal");
      }
      found = k;
    }
    return found;
  }

  [[nodiscard]] std::size_t place(const char* option, const Column& column) const {
    if (const int* const number = std::get_if<int>(&column)) {
      require(*number >= 0 && static_cast<std::size_t>(*number) < names_.size(), option,
              "must be a column from 0 to " + std::to_string(names_.size() - 1) + ", not " +
                  std::to_string(*number));
      return static_cast<std::size_t>(*number);
    }
    const std::string& name = std::get<std::string>(column);
    const auto found = only(option, [&](std::size_t k) { return names_[k] == name; });
    if (!found) {
      fail_arrow("no column is named " + arrow_quoted(name) + " (option " + option + ")" +
                 there_are());
    }
    return *found;
  }

  [[nodiscard]] std::string there_are() const {
    constexpr std::size_t most = 20;
    std::string list = "; the columns are:";
    for (std::size_t k = 0; k < std::min(most, names_.size()); ++k) {
      list += (k == 0 ? " " : ", ") + arrow_quoted(names_[k]);
    }
    return list + (names_.size() > most ? ", ..." : "");
  }

  [[nodiscard]] ArrowField id_field(std::size_t column) const {
    const ArrowSchema& schema = *schema_.children[column];
    const std::string label = label_of(column);
    const auto type = ArrowType::of(schema.format);
    const auto is_id = [](const std::optional<ArrowType>& t) {
      return t && (t->is_integer() || t->is_text());
    };
    const char* const right =
        "; ids must be integers, strings or a dictionary of them: cast the column";
    if (schema.dictionary == nullptr) {
      if (!is_id(type)) fail_arrow(label + " has no ids" + right);
      return {column, summary_of(column), label, *type, {}};
    }
    if (!type || !type->is_integer()) {
      fail_arrow(label + " has a dictionary, but its indices are not integers");
    }
    const ArrowSchema& dictionary = *schema.dictionary;
    const std::string_view format = dictionary.format == nullptr ? "" : dictionary.format;
    const auto values = ArrowType::of(format);
    if (dictionary.dictionary != nullptr || !is_id(values)) {
      fail_arrow(label + " has a dictionary of format " + arrow_quoted(format) +
                 ", which has no ids" + right);
    }
    return {column, summary_of(column), label, *type, values};
  }

  template <class IsRight>
  [[nodiscard]] ArrowField number_field(std::size_t column, const char* what, const char* right,
                                        const IsRight& is_right) const {
    const ArrowSchema& schema = *schema_.children[column];
    const auto type = ArrowType::of(schema.format);
    if (schema.dictionary != nullptr || !type || !is_right(*type)) {
      fail_arrow(label_of(column) + (schema.dictionary != nullptr ? " has a dictionary, and" : "") +
                 " cannot be read as " + what + ", which must be " + right);
    }
    return {column, summary_of(column), label_of(column), *type, {}};
  }

  [[nodiscard]] std::string summary_of(std::size_t column) const {
    const std::string& name = names_[column];
    return std::to_string(column) + (name.empty() ? "" : " " + arrow_quoted(name));
  }

  [[nodiscard]] std::string label_of(std::size_t column) const {
    return "column " + arrow_quoted(names_[column]) + " (format " +
           arrow_quoted(schema_.children[column]->format) + ")";
  }

  const ArrowSchema& schema_;
  std::vector<std::string> names_;
};

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
