// SPDX-License-Identifier: BSD-3-Clause
// Dates in the forms in which programs write them.
#include "prism/data/date.hpp"

#include <doctest/doctest.h>

#include <string>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"

using namespace prism;

TEST_CASE("dates of other forms are the same seconds as ISO 8601's") {
  const std::optional<double> day = detail::parse_date("2012-04-03"),
                              time = detail::parse_date("2012-04-03T18:00:09Z");
  REQUIRE(time == 1333476009);
  for (const std::string text :
       {"2012/04/03", "3 Apr 2012", "03-Apr-2012", "03-APR-2012", "Apr 3, 2012", "April 3, 2012",
        "Tue, 3 Apr 2012", "04 03, 2012", "04 3, 2012", "03.04.2012", "3.4.2012"}) {
    CAPTURE(text);
    CHECK(detail::parse_date(text) == day);
  }
  for (const std::string text :
       {"Tue Apr 03 18:00:09 +0000 2012", "Tue Apr  3 18:00:09 2012",
        "Tue Apr 03 18:00:09 UTC 2012", "Tue, 03 Apr 2012 18:00:09 +0000",
        "Tue, 03 Apr 2012 18:00:09 GMT", "3 Apr 2012 20:00:09 +0200", "2012/04/03 18:00:09",
        "03.04.2012 18:00:09", "Apr 3, 2012 6:00:09 PM", "Tuesday, April 3, 2012 18:00:09"}) {
    CAPTURE(text);
    CHECK(detail::parse_date(text) == time);
  }
  CHECK(detail::parse_date("4/13/2012 06:00:09 pm") == detail::parse_date("2012-04-13T18:00:09Z"));
  CHECK(detail::parse_date("11/13/2019 12:05 AM") == detail::parse_date("2019-11-13T00:05Z"));
  CHECK(detail::parse_date("11/13/2019 12:05 PM") == detail::parse_date("2019-11-13T12:05Z"));
}

TEST_CASE("text that is no date, or may be two, is none") {
  for (const std::string text : {"",
                                 "Tue",
                                 "Apr",
                                 "Apr 3",
                                 "3 Apr",
                                 "32 Apr 2012",
                                 "30 Feb 2012",
                                 "03/04/2012",
                                 "3/4/2012 18:00:09",
                                 "13/04/2012 6:00 PM",
                                 "03/04/2012 6:00 PM",
                                 "12/12/2012 6:00 PM",
                                 "04/13/2012 13:00 PM",
                                 "04/13/2012 0:30 AM",
                                 "04/03/2012 13:00 PM",
                                 "04/03/2012 0:30 AM",
                                 "Foo 3, 2012",
                                 "Apr 3, 2012x",
                                 "2012/04-03",
                                 "31.04.2012",
                                 "1.2.3",
                                 "04 03 2012",
                                 "Tue Apr 03 18:00:09 +0000",
                                 "3-Apr 2012",
                                 "Tue Apr 03 18:00:09 EST 2012",
                                 "10.0.2011",
                                 "192.168.2011"}) {
    CAPTURE(text);
    CHECK_FALSE(detail::parse_date(text).has_value());
  }
}

TEST_CASE("files of dates as programs write them are in chronological order") {
  const TemporaryFile file(
      "50756\t4f5e3a72\tTue Apr 03 18:00:07 +0000 2012\t-240\n"
      "50756\t4f5e3a73\tTue Apr 03 18:00:09 +0000 2012\t-240\n");
  const Interactions data = read_interactions(file.path(), {.time = 2});
  CHECK(data.times()[1] == 1333476009);
  const TemporaryFile unclear("user,item,date\n7,8,01/03/1970\n");
  CHECK_THROWS_WITH_AS(
      (void)read_interactions(unclear.path()),
      (unclear.path().string() +
       ":2: the time is not a finite number or a date such as 2011-03-14: '01/03/1970', of which "
       "either number may be the month; write dates as 1970-12-31; use the option time to choose "
       "the time column, or no_column if times are not needed, or drop_invalid to leave out such "
       "lines")
          .c_str(),
      DataError);
}

TEST_CASE("the error of a date with slashes says what is unclear") {
  const auto error_of = [](const std::string& date) -> std::string {
    const TemporaryFile file("user,item,date\n7,8," + date + "\n");
    try {
      (void)read_interactions(file.path());
      return "";
    } catch (const DataError& error) {
      return error.what();
    }
  };
  const auto says = [&](const std::string& date, const std::string& words) {
    return error_of(date).find(words) != std::string::npos;
  };
  CHECK(says("03/04/2012 6:00 PM", "of which either number may be the month"));
  CHECK(says("13/04/2012", "'13/04/2012'; write dates as 1970-12-31"));
  CHECK(says("04/13/2012", "'04/13/2012'; write dates as 1970-12-31"));
  CHECK(error_of("04/13/2012 6:00 PM").empty());
}
