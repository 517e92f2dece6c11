// SPDX-License-Identifier: BSD-3-Clause
#include "ids.hpp"

#include <cstddef>
#include <fstream>
#include <iostream>
#include <prism/core/error.hpp>
#include <prism/serve/escaped_line.hpp>
#include <string_view>
#include <utility>

namespace programs {

prism::Index row_of(const prism::Ids& known, const std::string& text) {
  const prism::Index row = known.find(text);
  if (row != prism::absent) return row;
  const auto id = prism::detail::unescaped_line(text);
  return id ? known.find(*id) : prism::absent;
}

std::vector<ListedId> ids_in(const std::string& file, const prism::Ids& known, const char* kind) {
  std::ifstream opened;
  if (file != "-") opened.open(file);
  if (!opened) throw prism::DataError(file, 0, "cannot be opened");
  std::istream& in = file == "-" ? std::cin : opened;
  std::vector<ListedId> ids;
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
    prism::Index row = row_of(known, line);
    if (blank && row == prism::absent) continue;
    if (row == prism::absent) row = row_of(known, id);
    ids.push_back({std::move(id), row});
  }
  if (in.bad()) throw prism::DataError(file, 0, "cannot be read");
  if (ids.empty()) {
    throw prism::DataError(file, 0,
                           "has no " + std::string(kind) + "; it must have one id per line");
  }
  return ids;
}

}  // namespace programs
