// SPDX-License-Identifier: BSD-3-Clause
// The layout of a file of interactions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/format.hpp"
#include "prism/data/missing_ids.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The layout of a file.
struct FileLayout {
  Format format = Format::delimited;  ///< never automatic
  std::string delimiter = {};
  bool header = false;                  ///< the first record has the columns' names
  std::string header_text = {};         ///< that record; its repetitions are left out
  std::vector<std::string> names = {};  ///< of the columns; empty if they have none
  std::size_t user = 0;
  std::size_t item = 1;
  /// Of three or more columns, by its position alone.
  bool user_by_position = false, item_by_position = false;
  bool konect = false;                      ///< columns as KONECT defines them
  bool rated_and_timed = false;             ///< ratings and times follow users and items
  std::optional<std::size_t> rating = {};   ///< unset: not read
  std::optional<std::size_t> time = {};     ///< unset: not read
  bool dates = false;                       ///< times are dates, as the first one is
  bool numeric_times = false;               ///< the first time is a number
  bool order_as_time = false;               ///< times are positions in the file
  std::optional<std::size_t> part = {};     ///< unset: not read
  std::optional<std::size_t> columns = {};  ///< of each record, exactly; unset: enough to read
  bool empty_columns = false;               ///< records may have more columns, if they are empty
  /// MatrixMarket's rows and columns; the file's columns 0 and 1 hold their numbers, from 1 on
  std::optional<std::array<std::size_t, 2>> matrix = {};
  MissingIds missing_users = {}, missing_items = {};
  bool decimal_comma = false, backslash_escapes = false;  ///< as in ReadOptions
  bool drop_invalid = false;                              ///< as ReadOptions::drop_invalid
  std::string comment = {};      ///< the prefix of comments; empty: there are none
  bool refuse_comments = false;  ///< other lines that begin with # or % are errors

  /// The number of columns up to the last one that is read.
  [[nodiscard]] std::size_t columns_to_read() const {
    return 1 + std::max({user, item, rating.value_or(0), time.value_or(0), part.value_or(0)});
  }

  /// What the last column that is read holds.
  [[nodiscard]] const char* last_to_read() const {
    const std::size_t last = columns_to_read() - 1;
    return user == last     ? "user"
           : item == last   ? "item"
           : rating == last ? "rating"
           : time == last   ? "time"
                            : "test column";
  }
};

}  // namespace prism::inline PRISM_ISA::detail
