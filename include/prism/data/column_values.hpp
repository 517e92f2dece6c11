// SPDX-License-Identifier: BSD-3-Clause
// The values of a file's columns in its first records.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/date.hpp"
#include "prism/data/number.hpp"
#include "prism/data/sample.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// The values of columns in a sample.
class ColumnValues {
 public:
  /// @param rows    the sample; must outlive the object
  /// @param header  whether its first row is a header
  ColumnValues(const SampleRows& rows, bool header) : rows_(rows), header_(header) {}

  /// The first row of the sample that is data.
  [[nodiscard]] std::size_t first_row() const { return header_ ? 1 : 0; }

  /// Whether a property holds for a column's field in each row of data, and there is such a row.
  template <class Property>
  [[nodiscard]] bool all(std::size_t column, const Property& property) const {
    for (std::size_t k = first_row(); k < rows_.size(); ++k) {
      const std::vector<std::string>& fields = rows_[k].fields;
      if (column >= fields.size() || !property(fields[column])) return false;
    }
    return first_row() < rows_.size();
  }

  [[nodiscard]] static bool is_number(const std::string& field) {
    return parse_number(field).has_value();
  }

  /// Whether a field is a number that may be a rating, not a time.
  [[nodiscard]] static bool is_low(const std::string& field) {
    const std::optional<double> number = parse_number(field);
    return number && *number >= -100 && *number <= 100;
  }

  /// Whether at least half of a column's values are dates, or seconds or milliseconds since 1970,
  /// of 1980 to 2100: then the others are times that are missing or invalid.
  [[nodiscard]] bool has_times(std::size_t column) const {
    constexpr double first = 315'532'800, last = 4'102'444'800;  // seconds
    std::size_t times = 0;
    for (std::size_t k = first_row(); k < rows_.size(); ++k) {
      if (column >= rows_[k].fields.size()) continue;
      const std::string& field = rows_[k].fields[column];
      const double number = parse_number(field).value_or(0);
      const bool is_recent =
          (number >= first && number < last) || (number >= 1000 * first && number < 1000 * last);
      times += is_recent || parse_date(field) ? 1U : 0U;
    }
    return times > 0 && 2 * times >= rows_.size() - first_row();
  }

  /// Whether a field is a date, or looks like seconds since 1970, from 1973 on.
  [[nodiscard]] static bool is_time(const std::string& field) {
    const std::optional<double> number = parse_number(field);
    return (number && *number >= 1e8) || parse_date(field).has_value();
  }

 private:
  const SampleRows& rows_;
  bool header_;
};

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
