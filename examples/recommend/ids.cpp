// SPDX-License-Identifier: BSD-3-Clause
#include "ids.hpp"

#include <cstddef>
#include <fstream>
#include <iostream>
#include <prism/core/error.hpp>
#include <prism/serve/escaped_line.hpp>
#include <string_view>
#include <utility>

namespace examples {

namespace {

prism::Index find_user(const prism::Interactions& train, const std::string& text) {
  const prism::Index user = train.find_user(text);
  if (user != prism::absent) return user;
  const auto id = prism::unescaped_line(text);
  return id ? train.find_user(*id) : prism::absent;
}

}  // namespace

std::vector<ListedUser> users_in(const std::string& file, const prism::Interactions& train) {
  std::ifstream opened;
  if (file != "-") opened.open(file);
  if (!opened) throw prism::DataError(file, 0, "cannot be opened");
  std::istream& in = file == "-" ? std::cin : opened;
  std::vector<ListedUser> users;
  bool first = true;
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view mark = "\xEF\xBB\xBF", around = " \t\r";  // UTF-8's byte order mark
    if (first && line.starts_with(mark)) line.erase(0, mark.size());
    first = false;
    if (line.ends_with('\r')) line.pop_back();  // user_ids.txt escapes an id's own as \r
    if (line.empty()) continue;
    const std::size_t begin = line.find_first_not_of(around);
    const bool blank = begin == std::string::npos;
    std::string id = blank ? line : line.substr(begin, line.find_last_not_of(around) + 1 - begin);
    prism::Index user = find_user(train, line);
    if (blank && user == prism::absent) continue;
    if (user == prism::absent) user = find_user(train, id);
    users.push_back({std::move(id), user});
  }
  if (in.bad()) throw prism::DataError(file, 0, "cannot be read");
  if (users.empty()) {
    throw prism::DataError(file, 0, "has no users; it must have one id per line");
  }
  return users;
}

}  // namespace examples
