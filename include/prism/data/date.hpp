// SPDX-License-Identifier: BSD-3-Clause
// Dates and times of day in text: ISO 8601, and other forms in which programs write them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

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
  /// A number of one or two digits; -1 if there is none.
  [[nodiscard]] int take_one_or_two() noexcept {
    const int first = take_digits(1);
    if (first < 0) return -1;
    const int second = take_digits(1);
    return second < 0 ? first : 10 * first + second;
  }
  /// The ASCII letters at the front.
  [[nodiscard]] std::string_view take_letters() noexcept {
    std::size_t size = 0;
    while (size < left_.size() && ((left_[size] >= 'a' && left_[size] <= 'z') ||
                                   (left_[size] >= 'A' && left_[size] <= 'Z'))) {
      ++size;
    }
    const std::string_view letters = left_.substr(0, size);
    left_.remove_prefix(size);
    return letters;
  }
  /// Whether there was a space; takes all.
  bool take_spaces() noexcept {
    const bool any = left_.starts_with(' ');
    while (take(' ')) {
    }
    return any;
  }
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
};

/// The position from 1 of a word in a list of names, of which three letters suffice, in any case; 0
/// if it is none of them.
template <std::size_t N>
[[nodiscard]] constexpr int position_among(const std::array<std::string_view, N>& names,
                                           std::string_view word) noexcept {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (std::size_t k = 0; k < N; ++k) {
    bool same = word.size() == 3 || word.size() == names[k].size();
    for (std::size_t at = 0; same && at < word.size(); ++at) {
      same = lower(word[at]) == names[k][at];
    }
    if (same) return static_cast<int>(k) + 1;
  }
  return 0;
}
inline constexpr std::array<std::string_view, 12> month_names{
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
inline constexpr std::array<std::string_view, 7> weekday_names{
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

/// The seconds from 1970 to the beginning of a day; nullopt if there is no such day.
[[nodiscard]] inline std::optional<double> seconds_to_day(int year, int month, int day) noexcept {
  if (year < 0 || month < 1 || month > 12) return std::nullopt;
  if (day < 1 || day > days_of_month(year, month)) return std::nullopt;
  return 86400.0 * static_cast<double>(days_since_1970(year, month, day));
}

/// Takes HH:MM, HH:MM:SS or HH:MM:SS.fraction; returns its seconds.
/// @param one_digit  whether the hour may have one digit
[[nodiscard]] inline std::optional<double> take_time_of_day(DateText& left,
                                                            bool one_digit = false) noexcept {
  const int hour = one_digit ? left.take_one_or_two() : left.take_digits(2);
  const bool colon = left.take(':');
  const int minute = left.take_digits(2);
  if (hour < 0 || hour > 23 || !colon || minute < 0 || minute > 59) return std::nullopt;
  double seconds = 3600.0 * hour + 60.0 * minute;
  if (left.take(':')) {
    const int second = left.take_digits(2);
    if (second < 0 || second > 60) return std::nullopt;  // 60: a leap second
    seconds += second;
    if (left.take('.')) seconds += left.take_fraction();
  }
  return seconds;
}

/// Takes an offset such as +01:00; returns the seconds to subtract.
[[nodiscard]] inline std::optional<double> take_offset(DateText& left) noexcept {
  const bool ahead = left.take('+');
  if (!ahead && !left.take('-')) return std::nullopt;
  const int hours = left.take_digits(2);
  (void)left.take(':');
  DateText ahead_of_minutes = left;
  const int minutes = left.take_digits(2);
  if (minutes < 0) left = ahead_of_minutes;
  if (hours < 0 || hours > 23 || minutes > 59) return std::nullopt;
  const double offset = 3600.0 * hours + 60.0 * (minutes < 0 ? 0 : minutes);
  return ahead ? offset : -offset;
}

/// Takes what may follow a day: a time of day, which may be followed by AM or PM, and by UTC, GMT
/// or an offset. Returns the seconds to add.
/// @param twelve  whether AM or PM must follow
[[nodiscard]] inline std::optional<double> take_clock(DateText& left, bool twelve) noexcept {
  if (left.empty() && !twelve) return 0;
  left.take_spaces();
  DateText whole = left;
  std::optional<double> seconds = take_time_of_day(left, true);
  if (!seconds) return std::nullopt;
  left.take_spaces();
  DateText before = left;
  std::string_view word = left.take_letters();
  const bool morning = word == "AM" || word == "am", evening = word == "PM" || word == "pm";
  if (morning || evening) {
    const int hour = whole.take_one_or_two();
    if (hour < 1 || hour > 12) return std::nullopt;
    *seconds += 3600.0 * ((hour == 12 ? -12 : 0) + (evening ? 12 : 0));
    return seconds;
  }
  if (twelve) return std::nullopt;
  if (word == "UTC" || word == "GMT" || word == "Z") return seconds;
  if (!word.empty()) return std::nullopt;
  left = before;
  if (left.empty()) return seconds;
  const std::optional<double> offset = take_offset(left);
  // The year of "Apr 03 18:00:09 2012" follows.
  if (!offset) left = before;
  return *seconds - offset.value_or(0);
}

/// A date in another form than ISO 8601's: "Tue Apr 03 18:00:09 +0000 2012", "Tue, 3 Apr 2012
/// 18:00:09 GMT", "Apr 3, 2012", "03-Apr-2012", "04 03, 2012" (month and day), "03.04.2012" (day
/// and month), each with a time of day or without, and "4/13/2012 6:00:09 PM" (month and day). Of
/// "03/04/2012 6:00:09 PM" either may be the month, so it is none.
[[nodiscard]] inline std::optional<double> parse_other_date(std::string_view text) noexcept {
  DateText left(text);
  std::string_view word = left.take_letters();
  if (position_among(weekday_names, word) > 0) {
    (void)left.take(',');
    left.take_spaces();
    word = left.take_letters();
  }
  int year = -1, month = 0, day = -1;
  bool twelve = false;
  if (!word.empty()) {
    month = position_among(month_names, word);
    if (month == 0 || !left.take_spaces()) return std::nullopt;
    day = left.take_one_or_two();
    const bool comma = left.take(',');
    if (!left.take_spaces()) return std::nullopt;
    if (!comma) {
      DateText before = left;
      if ((year = left.take_digits(4)) < 0) {
        left = before;
        const std::optional<double> clock = take_clock(left, false);
        left.take_spaces();
        year = left.take_digits(4);
        const std::optional<double> start = seconds_to_day(year, month, day);
        return clock && start && left.empty() ? std::optional(*start + *clock) : std::nullopt;
      }
    } else {
      year = left.take_digits(4);
    }
  } else {
    const int first = left.take_one_or_two();
    if (left.take('.')) {
      day = first;
      month = left.take_one_or_two();
      if (!left.take('.')) return std::nullopt;
    } else if (left.take('/')) {
      month = first;
      day = left.take_one_or_two();
      twelve = true;
      if (day <= 12 || !left.take('/')) return std::nullopt;
    } else {
      const bool dash = left.take('-');
      if (!dash && !left.take_spaces()) return std::nullopt;
      const std::string_view name = left.take_letters();
      if (name.empty() && !dash) {  // "04 03, 2012"
        month = first;
        day = left.take_one_or_two();
        if (!left.take(',') || !left.take_spaces()) return std::nullopt;
      } else {
        day = first;
        month = position_among(month_names, name);
        if (dash ? !left.take('-') : !left.take_spaces()) return std::nullopt;
      }
    }
    year = left.take_digits(4);
  }
  const std::optional<double> start = seconds_to_day(year, month, day);
  if (!start) return std::nullopt;
  const std::optional<double> clock = take_clock(left, twelve);
  return clock && left.empty() ? std::optional(*start + *clock) : std::nullopt;
}

/// Whether a text begins like 03/04/2012 or 13/04/2012.
[[nodiscard]] inline bool has_slashes(std::string_view text) noexcept {
  DateText left(text);
  const int first = left.take_one_or_two();
  const bool slash = left.take('/');
  const int second = left.take_one_or_two();
  return first > 0 && slash && second > 0 && left.take('/') && left.take_digits(2) >= 0;
}

/// Whether a text begins like 03/04/2012, of which either number may be the month.
[[nodiscard]] inline bool has_unclear_month(std::string_view text) noexcept {
  DateText left(text);
  const int first = left.take_one_or_two();
  return has_slashes(text) && left.take('/') && first <= 12 && left.take_one_or_two() <= 12;
}

/// A date of ISO 8601, also with slashes; nullopt for anything else.
[[nodiscard]] inline std::optional<double> parse_iso_date(std::string_view text) noexcept {
  DateText left(text);
  const int year = left.take_digits(4);
  const char separator = left.take('-') ? '-' : '/';
  if (separator == '/' && !left.take('/')) return std::nullopt;
  const int month = left.take_digits(2);
  if (!left.take(separator)) return std::nullopt;
  const int day = left.take_digits(2);
  std::optional<double> seconds = seconds_to_day(year, month, day);
  if (!seconds || left.empty()) return seconds;
  if (!left.take('T') && !left.take(' ')) return std::nullopt;
  const std::optional<double> clock = take_time_of_day(left);
  if (!clock) return std::nullopt;
  *seconds += *clock;
  if (left.empty()) return seconds;
  const bool utc =
      left.take('Z') || (left.take(' ') && left.take('U') && left.take('T') && left.take('C'));
  if (utc) return left.empty() ? seconds : std::nullopt;
  const std::optional<double> offset = take_offset(left);
  return offset && left.empty() ? std::optional(*seconds - *offset) : std::nullopt;
}

/// The seconds from 1970-01-01T00:00:00Z to a date YYYY-MM-DD, which may be followed by T or a
/// space, HH:MM, HH:MM:SS or HH:MM:SS.fraction, and then by Z, " UTC" or an offset such as +01:00;
/// or to a date in another form of detail::parse_other_date. Without one of these it counts as UTC.
/// nullopt for anything else.
[[nodiscard]] inline std::optional<double> parse_date(std::string_view text) noexcept {
  if (const std::optional<double> seconds = parse_iso_date(text)) return seconds;
  return parse_other_date(text);
}

}  // namespace prism::inline PRISM_ISA::detail
