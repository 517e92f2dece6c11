// SPDX-License-Identifier: BSD-3-Clause
// Dates and times of day in text (ISO 8601).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Days from 1970-01-01 to a date of the Gregorian calendar, for a year in [0, 9999].
[[nodiscard]] constexpr long days_since_1970(int year, int month, int day) noexcept {
  // A year is counted from March, so that the leap day is its last day.
  const int shifted = year - (month <= 2 ? 1 : 0) + 400;
  const int days_before_month = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;
  const long days = 365L * shifted + shifted / 4 - shifted / 100 + shifted / 400;
  return days + days_before_month + day - 1 - 719468 - 146097;
}

[[nodiscard]] constexpr int days_of_month(int year, int month) noexcept {
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (leap && month == 2 ? 1 : 0);
}

/// Takes parts off the front of a text.
class DateText {
 public:
  explicit DateText(std::string_view text) noexcept : left_(text) {}

  [[nodiscard]] bool take(char c) noexcept {
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  /// A number of exactly `count` digits; -1 if there is none.
  [[nodiscard]] int take_digits(std::size_t count) noexcept {
    if (left_.size() < count) return -1;
    int number = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (left_[k] < '0' || left_[k] > '9') return -1;
      number = 10 * number + (left_[k] - '0');
    }
    left_.remove_prefix(count);
    return number;
  }
  /// The value of the digits after a decimal point.
  [[nodiscard]] double take_fraction() noexcept {
    double value = 0, place = 0.1;
    for (int digit = take_digits(1); digit >= 0; digit = take_digits(1), place /= 10) {
      value += digit * place;
    }
    return value;
  }
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
};

}  // namespace detail

/// The seconds from 1970-01-01T00:00:00Z to a date YYYY-MM-DD, which may be followed by T or a
/// space, HH:MM, HH:MM:SS or HH:MM:SS.fraction, and then by Z, " UTC" or an offset such as +01:00.
/// Without one of these it counts as UTC. nullopt for anything else.
[[nodiscard]] inline std::optional<double> parse_date(std::string_view text) noexcept {
  detail::DateText left(text);
  const int year = left.take_digits(4);
  const bool dash = left.take('-');
  const int month = left.take_digits(2);
  if (year < 0 || !dash || month < 1 || month > 12 || !left.take('-')) return std::nullopt;
  const int day = left.take_digits(2);
  if (day < 1 || day > detail::days_of_month(year, month)) return std::nullopt;
  double seconds = 86400.0 * static_cast<double>(detail::days_since_1970(year, month, day));
  if (left.empty()) return seconds;

  if (!left.take('T') && !left.take(' ')) return std::nullopt;
  const int hour = left.take_digits(2);
  const bool colon = left.take(':');
  const int minute = left.take_digits(2);
  if (hour < 0 || hour > 23 || !colon || minute < 0 || minute > 59) return std::nullopt;
  seconds += 3600.0 * hour + 60.0 * minute;
  if (left.take(':')) {
    const int second = left.take_digits(2);
    if (second < 0 || second > 60) return std::nullopt;  // 60: a leap second
    seconds += second;
    if (left.take('.')) seconds += left.take_fraction();
  }
  if (left.empty()) return seconds;
  const bool utc =
      left.take('Z') || (left.take(' ') && left.take('U') && left.take('T') && left.take('C'));
  if (utc) return left.empty() ? std::optional(seconds) : std::nullopt;
  const bool ahead = left.take('+');
  if (!ahead && !left.take('-')) return std::nullopt;
  const int offset_hours = left.take_digits(2);
  (void)left.take(':');
  const int offset_minutes = left.empty() ? 0 : left.take_digits(2);
  if (offset_hours < 0 || offset_hours > 23 || offset_minutes < 0 || offset_minutes > 59 ||
      !left.empty()) {
    return std::nullopt;
  }
  const double offset = 3600.0 * offset_hours + 60.0 * offset_minutes;
  return ahead ? seconds - offset : seconds + offset;
}

}  // namespace prism::inline PRISM_ISA
