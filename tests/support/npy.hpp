// SPDX-License-Identifier: BSD-3-Clause
// A reader of NumPy's .npy files, version 1.0, C order, float64 and int64, with bounds checks.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <prism/core/error.hpp>
#include <string>
#include <vector>

namespace test {

struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;  // C order

  [[nodiscard]] std::size_t rows() const { return shape.empty() ? 1 : shape[0]; }
  /// Elements per row.
  [[nodiscard]] std::size_t columns() const { return rows() == 0 ? 0 : values.size() / rows(); }
};

inline Array read_npy(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& problem) {
    throw prism::DataError(path.string(), 0, problem);
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  constexpr std::size_t preamble = 10;
  if (bytes.size() < preamble || bytes.substr(0, 6) != "\x93NUMPY" || bytes[6] != 1) {
    fail("is not a .npy file of version 1");
  }
  const std::size_t header_size = static_cast<unsigned char>(bytes[8]) +
                                  std::size_t{256} * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(preamble, header_size);
  const bool real = header.find("'<f8'") != std::string::npos;
  const bool whole = header.find("'<i8'") != std::string::npos;
  if (!real && !whole) fail("holds neither float64 nor int64");
  if (header.find("'fortran_order': False") == std::string::npos) fail("is not in C order");

  Array array;
  const std::size_t open = header.find('('), close = header.find(')');
  if (open == std::string::npos || close == std::string::npos) fail("has no shape");
  std::size_t count = 1;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(header.find(',', at), close);
    const std::string number = header.substr(at, end - at);
    if (number.find_first_of("0123456789") != std::string::npos) {
      array.shape.push_back(std::stoul(number));
      count *= array.shape.back();
    }
    at = end + 1;
  }
  if (bytes.size() != preamble + header_size + 8 * count) fail("is not as long as its shape says");
  array.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + preamble + header_size + 8 * i, 8);
    array.values[i] =
        real ? std::bit_cast<double>(word) : static_cast<double>(static_cast<std::int64_t>(word));
  }
  return array;
}

}  // namespace test
