// SPDX-License-Identifier: BSD-3-Clause
// Files that are easily mistaken for something else: each is read correctly, or refused with a
// message that says which option to pass. The reader never guesses silently.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/odd_files.hpp"
#include "data/odd_texts.hpp"
#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"

using namespace prism;

namespace {

using odd::Expected;
using odd::odd_files;
using odd::odd_texts;
using odd::OddFile;

/// "" if a file reads as expected; otherwise, what is wrong.
std::string problem_of(const OddFile& odd) {
  const TemporaryFile file(odd.text);
  const Expected& expected = odd.expected;
  try {
    const Interactions data = read_interactions(file.path(), odd.options);
    const std::string first =
        std::string(data.user_id(data[0].user)) + " " + std::string(data.item_id(data[0].item));
    const std::string found = std::to_string(data.users()) + " " + std::to_string(data.items()) +
                              " " + std::to_string(data.size()) + " " + first;
    if (!expected.error.empty()) return "read as " + found;
    const bool same = data.users() == expected.users && data.items() == expected.items &&
                      data.size() == expected.interactions && first == expected.first;
    if (!same || data.read_summary() == nullptr) return "read as " + found;
    const ReadSummary& summary = *data.read_summary();
    const bool told = summary.interactions == data.size() && summary.file == file.path().string();
    return told ? "" : "not told what it is";
  } catch (const DataError& error) {
    const std::string message = error.what();
    if (expected.error.empty()) return "refused: " + message;
    if (error.file() != file.path().string()) return "without the file's name: " + message;
    return message.find(expected.error) != std::string::npos ? "" : "refused: " + message;
  }
}

}  // namespace

TEST_CASE("odd files are read right, or refused with words that say what to pass") {
  REQUIRE(odd_files.size() + odd_texts.size() >= 120);
  for (const std::vector<OddFile>* const files : {&odd_files, &odd_texts}) {
    for (const OddFile& odd : *files) {
      CAPTURE(odd.name);
      CHECK(problem_of(odd) == "");
    }
  }
}
