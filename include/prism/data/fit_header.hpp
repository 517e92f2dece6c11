// SPDX-License-Identifier: BSD-3-Clause
// Headers that have fewer or more names than the lines below have columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/detect_header.hpp"
#include "prism/data/format.hpp"
#include "prism/data/layout.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Whether an option gives a column's name.
[[nodiscard]] inline bool names_a_column(const ReadOptions& options, const Column* part) {
  const auto is_name = [](const auto& column) {
    return column && std::holds_alternative<std::string>(*column);
  };
  return is_name(options.user) || is_name(options.item) || is_name(options.rating) ||
         is_name(options.time) || (part != nullptr && std::holds_alternative<std::string>(*part));
}

/// Whether the options choose all columns by number that are to be read.
[[nodiscard]] inline bool columns_are_numbers(const ReadOptions& options, const Column* part) {
  const auto is_number = [](const auto& column) {
    return column && std::holds_alternative<int>(*column);
  };
  return is_number(options.user) && is_number(options.item) &&
         (!options.min_rating || is_number(options.rating)) &&
         (!options.time || is_number(options.time)) &&
         (part == nullptr || std::holds_alternative<int>(*part));
}

/// How a header fits the lines below it.
enum class HeaderFit {
  same,     ///< it has as many names as they have columns, or may be no header
  trimmed,  ///< it does without empty fields of the lines, or without empty names
  unnamed,  ///< its names may mean other columns, so options choose them by number
};

/// Compares row 0, which is known to be a header if it has another number of columns, with the rows
/// below; drops empty fields at their ends. Sets the layout's columns unless the fit is `same`.
/// @throws DataError  if the surplus names or fields are not empty, and the options do not choose
///     the columns by number
[[nodiscard]] inline HeaderFit fit_header(const std::string& file, SampleRows& rows,
                                          const ReadOptions& options, const Column* part,
                                          FileLayout& layout) {
  std::vector<std::string>& names = rows[0].fields;
  const std::size_t named = names.size();
  if (named < 2) return HeaderFit::same;
  // Fields of a row from the header's number on.
  const auto surplus = [&](const SampleRow& row) {
    return std::span(row.fields).subspan(std::min(row.fields.size(), named));
  };
  const auto is_empty = [](const std::string& field) { return field.empty(); };
  const bool any =
      std::ranges::any_of(rows, [&](const auto& row) { return !surplus(row).empty(); });
  if (any && std::ranges::all_of(rows, [&](const SampleRow& row) {
        return row.fields.size() >= named && std::ranges::all_of(surplus(row), is_empty);
      })) {
    for (SampleRow& row : rows) row.fields.resize(named);
    // Columns that are read as delimited may be surplus.
    if (options.format != Format::delimited) {
      layout.columns = named;
      layout.empty_columns = true;
    }
    return HeaderFit::trimmed;
  }
  const std::optional<std::size_t> below = columns_below(rows, options.drop_invalid);
  if (!below || *below == named || *below < 2) return HeaderFit::same;
  if (*below < named && options.format == Format::delimited) return HeaderFit::same;
  if (*below < named &&
      std::all_of(names.begin() + static_cast<std::ptrdiff_t>(*below), names.end(), is_empty)) {
    names.resize(*below);
    layout.columns = *below;
    return HeaderFit::trimmed;
  }
  if (columns_are_numbers(options, part)) {
    if (options.format != Format::delimited) layout.columns = *below;
    return HeaderFit::unnamed;
  }
  throw DataError(
      file, rows[0].line,
      "is a header of " + std::to_string(named) + " names, but the lines below have " +
          std::to_string(*below) + " columns" +
          (*below == named + 1
               ? "; their first column may be row names, as R's write.table writes them"
               : "") +
          ", so names do not say which columns they mean; choose the columns by number, with the "
          "options user and item" +
          (options.min_rating ? " and the option rating" : "") + ", or mend the header");
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
