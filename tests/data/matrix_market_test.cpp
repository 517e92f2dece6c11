// SPDX-License-Identifier: BSD-3-Clause
// MatrixMarket files: the lines above the data, wherever a block of the file ends, and the values.
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "data/temporary_file.hpp"
#include "prism/data/parts_reader.hpp"
#include "prism/data/read.hpp"

using namespace prism;

namespace {

/// The summary of reading a matrix without the file's name, or the error.
std::string matrix_outcome(const std::string& text, const ReadOptions& options = {},
                           const detail::ReadSizes& sizes = {}) {
  const TemporaryFile file(text, "data.mtx");
  try {
    detail::PartsReader reader(options, sizes);
    detail::Part part;
    reader.read(file.path(), part);
    const Interactions data = reader.to_interactions(std::move(part));
    return describe(*data.read_summary()).substr(file.path().string().size());
  } catch (const DataError& error) {
    return std::string(error.what()).substr(error.file().size());
  }
}

const std::string real_banner = "%%MatrixMarket matrix coordinate real general\n";
const std::string pattern_banner = "%%MatrixMarket matrix coordinate pattern general\n";

}  // namespace

TEST_CASE("a block of a MatrixMarket file may end anywhere in the lines above its data") {
  const std::string text =
      real_banner + "% by hand\n\n% and more\n300 400 3\n1 1 5\n2 300 1\n3 1 4\n";
  const std::string expected = matrix_outcome(text);
  CHECK(expected.find("3 users, 2 items, 3 interactions; left out: 2 comment lines") !=
        std::string::npos);
  for (std::size_t block = 16; block <= text.size() + 1; ++block) {
    CAPTURE(block);
    CHECK(matrix_outcome(text, {}, {.block = block}) == expected);
  }
  const std::string cut = real_banner + "% by hand\n";
  for (std::size_t block = 16; block <= cut.size() + 1; ++block) {
    CAPTURE(block);
    CHECK(matrix_outcome(cut, {}, {.block = block}) == ":2: ends before MatrixMarket's size line");
  }
}

TEST_CASE("more comments than a block holds are read, above a matrix and above columns") {
  std::string comments;
  for (int k = 0; k < 1000; ++k) comments += "% a comment of one hundred and more\n";
  CHECK(matrix_outcome(real_banner + comments + "2 2 1\n1 2 5\n", {}, {.block = 1000})
            .find("1 interaction; left out: 1000 comment lines") != std::string::npos);
  // The sample, which shows no adjacency lists, is complete although a block ends within it.
  const std::string columns = "7 8 5\n7 9 4\n7 10 4 1000\n9 8 3\n";
  const std::size_t block = comments.size() + 8;
  CHECK(matrix_outcome(comments + columns, {}, {.block = block}) ==
        matrix_outcome(comments + columns));
}

TEST_CASE("comments that would fill the memory are an error that says so") {
  std::string comments;
  for (int k = 0; k < 1000; ++k) comments += "% a comment\n";
  for (const std::string& banner : {real_banner, std::string()}) {
    CHECK(matrix_outcome(banner + comments + "2 2 1\n1 2 5\n", {},
                         {.block = 1000, .max_record = 5000}) ==
          ": has no whole line of data in its first 5000 bytes; remove comments above the data");
  }
  CHECK(matrix_outcome(std::string(9000, '7'), {}, {.block = 1000, .max_record = 5000}) ==
        ":1: is longer than 5000 bytes; it may have an unclosed quoted field");
}

TEST_CASE("the first line of a MatrixMarket file is no comment") {
  CHECK(matrix_outcome(pattern_banner + "2 2 1\n1 2\n").ends_with("; left out: none"));
  CHECK(matrix_outcome(pattern_banner + "2 2 1\n") == ": declares 1 entries, but has 0");
  CHECK(matrix_outcome(pattern_banner + "2 2 0\n") == ": has no interactions");
}

TEST_CASE("a size line that is no numbers is an error of its own line") {
  const std::string problem = ":2: must be MatrixMarket's size line: rows, columns, entries";
  for (const char* sizes : {"3 3 abc", "3 3 -1", "3 3 99999999999999999999999", "3 3", "0 3 1"}) {
    CAPTURE(sizes);
    CHECK(matrix_outcome(pattern_banner + sizes + "\n1 2\n") == problem);
  }
}

TEST_CASE("a delimiter that is set holds below the first line of other formats, too") {
  CHECK(matrix_outcome("% bip unweighted\n1::2 x\n3::4 y\n", {.delimiter = "::"})
            .find("separated by '::'") != std::string::npos);
}

TEST_CASE("a MatrixMarket matrix without values has no ratings") {
  const std::string text = pattern_banner + "2 2 2\n1 2\n2 1\n";
  CHECK(matrix_outcome(text, {.min_rating = 3}) ==
        ":1: is a MatrixMarket matrix of kind 'pattern', which has no values, but min_rating needs "
        "ratings; leave min_rating unset");
  CHECK(matrix_outcome(text, {.min_rating = 3, .require_rating = false}).find(" 2 interactions") !=
        std::string::npos);
}

TEST_CASE(
    "a stored zero of a MatrixMarket matrix is an interaction, unless min_rating excludes it") {
  const std::string text = real_banner + "2 2 2\n1 2 0\n2 1 5\n";
  CHECK(matrix_outcome(text).find(" 2 interactions; left out: none") != std::string::npos);
  CHECK(matrix_outcome(text, {.min_rating = 1}).find(" 1 interaction; left out: 1 rated below 1") !=
        std::string::npos);
}
