// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the readers (libFuzzer): any bytes give interactions or a typed error, and the result does
// not depend on the chunks. The first two bytes and the size choose the options, the rest is the
// file.
//
//     cmake -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DPRISM_FUZZ=ON
//     cmake --build build/fuzz -t read_fuzz
//     mkdir found
//     build/fuzz/tests/fuzz/read_fuzz -max_total_time=600 found tests/fuzz/corpus/read
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "prism/data/read.hpp"

namespace {

using namespace prism;

/// Interactions and ids, or an error, in words.
std::string outcome(const std::filesystem::path& path, const ReadOptions& options,
                    const TestColumn* column, std::size_t chunk) {
  try {
    detail::PartsReader reader(options, {.block = std::size_t{2} << 20, .chunk = chunk});
    detail::Part rest, test;
    reader.read(path, rest, column, column == nullptr ? nullptr : &test);
    const Interactions data = reader.to_interactions(std::move(rest));
    std::string text = describe(*data.read_summary()) + "\n";
    for (std::size_t k = 0; k < data.size(); ++k) {
      text += std::string(data.user_id(data[k].user)) + "\t";
      text += std::string(data.item_id(data[k].item)) + "\t";
      text += data.times().empty() ? "\n" : format_number(data.times()[k]) + "\n";
    }
    return text;
  } catch (const DataError& error) {
    return std::string("DataError ") + error.what();
  } catch (const ArgumentError& error) {
    return std::string("ArgumentError ") + error.what();
  }
}

ReadOptions options_of(std::uint8_t choice, std::uint8_t more, std::size_t size) {
  ReadOptions options;
  options.format = format_names[choice % 4].first;
  if (choice & 4) options.min_rating = 3;
  if (choice & 8) options.header = choice & 16 ? Header::yes : Header::no;
  const char* const delimiters[] = {"", ",", ";", " ", "\t", "::", "|", "ab"};
  options.delimiter = delimiters[more % 8];
  if (more & 8) options.comment = more & 16 ? "#" : "";
  if (more & 32) options.time = more & 64 ? Column(3) : Column(no_column);
  if (choice & 32) options.user = choice & 64 ? Column("user_id") : Column(1);
  if ((choice & 32) && (more & 128)) options.item = 0;
  options.drop_invalid = size % 2 == 1;
  options.backslash_escapes = size % 3 == 1;
  options.decimal_comma = size % 5 == 1;
  if (size % 7 == 1) options.missing_ids = {{"7", "x"}};
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("prism_read_fuzz_" + std::to_string(::getpid()));
  {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data + 2), static_cast<std::streamsize>(size - 2));
  }
  static const ThreadLimit limit(1);  // each run does the same
  const ReadOptions options = options_of(data[0], data[1], size);
  const TestColumn column;
  const TestColumn* const part = data[0] & 128 ? &column : nullptr;
  const std::string whole = outcome(path, options, part, std::size_t{1} << 20);
  const std::string cut = outcome(path, options, part, 1 + data[1] % 13);
  if (whole != cut) {
    std::fprintf(stderr, "in one chunk:\n%s\nin small ones:\n%s\n", whole.c_str(), cut.c_str());
    std::abort();
  }
  return 0;
}
