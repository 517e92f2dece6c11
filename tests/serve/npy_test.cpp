// SPDX-License-Identifier: BSD-3-Clause
// Tables in .npy files: read back as written; malformed files are refused before they do harm.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/npy_reader.hpp"
#include "support/contains.hpp"

using namespace prism;
using detail::read_npy;
using test::contains;

namespace {

/// A file of this version, header and content; it may claim a wrong header length.
std::string file_of(const std::string& header, const std::string& content = "", int version = 1,
                    std::uint32_t claimed = 0) {
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  const std::uint32_t size = claimed != 0 ? claimed : static_cast<std::uint32_t>(header.size());
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) file += static_cast<char>(size >> 8 * k);
  return file + header + content;
}

std::string header_of(const std::string& shape, const std::string& descr = "<f4",
                      const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

/// The numbers' bytes, the least significant first or last.
template <class T>
std::string bytes_of(const std::vector<T>& numbers, std::endian order) {
  std::string bytes;
  for (const T number : numbers) {
    std::string one(reinterpret_cast<const char*>(&number), sizeof number);
    if (order != std::endian::native) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <class T>
std::vector<T> numbers_in(const std::string& bytes) {
  const TemporaryFile file(bytes, "table.npy");
  const Matrix<T> table = read_npy<T>(file.path());
  return {table.data(), table.data() + table.size()};
}

/// The error's message, without the file's name.
template <class T = float>
std::string error_of(const std::string& bytes) {
  const TemporaryFile file(bytes, "table.npy");
  try {
    (void)read_npy<T>(file.path());
  } catch (const DataError& error) {
    CHECK(error.file() == file.path().string());
    return std::string(error.what()).substr(error.file().size() + 2);
  }
  return "no error";
}

}  // namespace

TEST_CASE_TEMPLATE("a table that was written is read back to the last bit", T, float, double) {
  std::vector<T> numbers(6);
  for (std::size_t k = 0; k < 6; ++k) numbers[k] = T{1} / static_cast<T>(k);  // 1/0 among them
  const TemporaryFile file(detail::npy(Rows<const T>(numbers.data(), 3, 2)), "table.npy");
  const Matrix<T> table = read_npy<T>(file.path());
  CHECK(table.shape(0) == 3);
  CHECK(table.shape(1) == 2);
  CHECK(std::memcmp(table.data(), numbers.data(), 6 * sizeof(T)) == 0);
}

TEST_CASE("numbers of either byte order and headers of versions 1, 2 and 3 are read") {
  const std::vector<float> floats{1.5f, -2, 3e-40f, 4};
  const std::vector<double> doubles{1.5, -2, 3e-310, 4};
  for (const int version : {1, 2, 3}) {
    CAPTURE(version);
    const auto read_floats = [&](const char* descr, std::endian order) {
      return numbers_in<float>(
          file_of(header_of("(2, 2)", descr), bytes_of(floats, order), version));
    };
    CHECK(read_floats("<f4", std::endian::little) == floats);
    CHECK(read_floats(">f4", std::endian::big) == floats);
    const auto read_doubles = [&](const char* descr, std::endian order) {
      return numbers_in<double>(
          file_of(header_of("(2, 2)", descr), bytes_of(doubles, order), version));
    };
    CHECK(read_doubles("<f8", std::endian::little) == doubles);
    CHECK(read_doubles(">f8", std::endian::big) == doubles);
  }
}

TEST_CASE("a header may be written in any order, with any quotes and spaces") {
  const std::string two = bytes_of<float>({1, 2}, std::endian::little);
  for (const std::string header :
       {"{'shape':(1,2),'fortran_order':False,'descr':'<f4'}",
        "{ \"fortran_order\" : False , \"descr\" : \"<f4\" , \"shape\" : ( 1 , 2 , ) , }   \n"}) {
    CHECK(numbers_in<float>(file_of(header, two)) == std::vector<float>{1, 2});
  }
}

TEST_CASE("a table without rows is read, and keeps its columns") {
  const TemporaryFile file(file_of(header_of("(0, 64)")), "table.npy");
  const Matrix<float> table = read_npy<float>(file.path());
  CHECK(table.shape(0) == 0);
  CHECK(table.shape(1) == 64);
}

TEST_CASE("a file's shape is known before its numbers, which fill a table of that shape only") {
  const TemporaryFile file(
      file_of(header_of("(2, 1)"), bytes_of<float>({1, 2}, std::endian::little)), "table.npy");
  detail::NpyFile npy(file.path());
  CHECK(npy.rows() == 2);
  CHECK(npy.columns() == 1);
  CHECK(npy.number_size() == 4);
  std::vector<float> numbers(2);
  CHECK_THROWS_WITH_AS(npy.read_into(Rows<float>(numbers.data(), 1, 2)),
                       (file.path().string() + ": has shape (2, 1), not (1, 2)").c_str(),
                       DataError);
  npy.read_into(Rows<float>(numbers.data(), 2, 1));
  CHECK(numbers == std::vector<float>{1, 2});
}

TEST_CASE("numbers of another type are an error that names both") {
  const std::string eight(8, '\0');
  CHECK(error_of<float>(file_of(header_of("(1, 1)", "<f8"), eight)) ==
        "has dtype float64, not float32");
  CHECK(error_of<double>(file_of(header_of("(2, 1)", "<f4"), eight)) ==
        "has dtype float32, not float64");
  for (const std::string descr : {"<i4", "<f2", "|f4", "=f4", "f4", "<f44", "|O", ""}) {
    CHECK(error_of(file_of(header_of("(2, 1)", descr), eight)) ==
          "has dtype '" + descr + "'; the supported dtypes are float32, float64 and uint32");
  }
  CHECK(contains(error_of(file_of(header_of("(2, 1)", "\x1B[2J" + std::string(1000, 'x')), eight)),
                 "type '?[2Jxxxxxxxxxxxxxxxx...'"));
}

TEST_CASE("an array that is no table in C order is an error that says what would be") {
  const std::string four(4, '\0');
  CHECK(contains(error_of(file_of(header_of("()"), four)), "0 dimensions; a table must have two"));
  CHECK(contains(error_of(file_of(header_of("(1,)"), four)), "1 dimensions"));
  CHECK(contains(error_of(file_of(header_of("(1, 1, 1)"), four)), "3 dimensions"));
  CHECK(contains(error_of(file_of(header_of("(1, 1)", "<f4", "True"), four)),
                 "numpy.ascontiguousarray(table)"));
}

TEST_CASE("a file that is shorter or longer than its shape says is an error") {
  CHECK(error_of(file_of(header_of("(3, 2)"), std::string(23, '\0'))) ==
        "has 23 bytes of data, but its shape (3, 2) needs 24");
  CHECK(error_of(file_of(header_of("(3, 2)"), std::string(25, '\0'))) ==
        "has 25 bytes of data, but its shape (3, 2) needs 24");
  CHECK(error_of(file_of(header_of("(3, 2)"), std::string(24, '\0'))) == "no error");
}

TEST_CASE("a shape that overflows or that nothing bounds is an error") {
  const std::string four(4, '\0');
  // 2^32 x 2^32 numbers of 4 bytes are 2^66 bytes, 4 modulo 2^64 once one is added.
  for (const std::string shape :
       {"(4294967296, 4294967296)", "(4611686018427387905, 1)", "(1, 4611686018427387905)",
        "(18446744073709551615, 18446744073709551615)", "(4294967295, 1048576)",
        "(0, 18446744073709551615)", "(0, 1048577)", "(18446744073709551615, 0)", "(1, 0)"}) {
    CAPTURE(shape);
    CHECK(contains(error_of(file_of(header_of(shape), four)), "has "));
    CHECK(contains(error_of(file_of(header_of(shape))), "has "));
  }
  CHECK(error_of(file_of(header_of("(4611686018427387905, 1)"), four)) ==
        "has 4611686018427387905 rows; a table may have at most 4294967295");
  CHECK(error_of(file_of(header_of("(0, 1048577)"))) ==
        "has 1048577 columns; a table must have 1 to 1048576");
  for (const std::string shape : {"(18446744073709551616, 1)", "(-1, 1)", "(1.0, 1)", "(1 1)",
                                  "(1)", "1, 1", "(1, 1", "(1,, 1)", "(,)", "[1, 1]", "(0x1, 1)"}) {
    CAPTURE(shape);
    CHECK(contains(error_of(file_of(header_of(shape), four)), "has an invalid header"));
  }
}

TEST_CASE("a header that is cut off, too long or of another kind is an error") {
  CHECK(error_of("") == "is not a .npy file");
  CHECK(error_of("\x93NUMP") == "is not a .npy file");
  CHECK(error_of("PK\x03\x04 and more of an archive") == "is not a .npy file");
  CHECK(error_of("\x93NUMPY\x04" + std::string(30, '\0')) ==
        "is a .npy file of version 4.0; the supported versions are 1.0, 2.0 and 3.0");
  CHECK(contains(error_of(std::string("\x93NUMPY\xFF\x01", 8)), "version 255.1"));
  CHECK(error_of("\x93NUMPY") == "is truncated");
  CHECK(error_of("\x93NUMPY\x01") == "is truncated");
  const std::string whole = file_of(header_of("(1, 1)"), std::string(4, '\0'));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(error_of(whole.substr(0, size)) != "no error");
  }
  CHECK(error_of(file_of(header_of("(1, 1)"), "", 1, 9000)) == "is truncated in its header");
  CHECK(error_of(file_of(header_of("(1, 1)"), "", 2, 0xFFFF'FFFF)) ==
        "has a header of 4294967295 bytes; the maximum is 10000");
  const std::string four(4, '\0');
  for (const std::string header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} x",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}",
        "{'descr': '\\'<f4', 'fortran_order': False, 'shape': (1, 1)}"}) {
    CAPTURE(header);
    CHECK(contains(error_of(file_of(header, four)), "has an invalid header"));
  }
}

TEST_CASE("every byte of a header may be changed, and no more memory is asked for") {
  const std::string whole = file_of(header_of("(3, 2)"), std::string(24, '\0'));
  for (std::size_t at = 0; at < whole.size() - 24; ++at) {
    for (const char byte : {'\0', '\xFF', '9', ')', '}', '\''}) {
      std::string changed = whole;
      changed[at] = byte;
      const TemporaryFile file(changed, "table.npy");
      try {
        const Matrix<float> table = read_npy<float>(file.path());
        CHECK(table.size() <= 6);
      } catch (const DataError&) {
      }
    }
  }
}

TEST_CASE("what is no file is an error that says so") {
  const TemporaryFile file("");
  const auto error = [](const std::filesystem::path& path) -> std::string {
    try {
      (void)read_npy<float>(path);
    } catch (const DataError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(contains(error(file.folder() / "missing.npy"), "there is no such file"));
  CHECK(contains(error(file.folder()), "it is not a regular file"));
  CHECK(contains(error("/dev/zero"), "it is not a regular file"));
}

TEST_CASE("a table is read into the memory that is asked for") {
  std::pmr::monotonic_buffer_resource memory;
  const TemporaryFile file(file_of(header_of("(1, 1)"), bytes_of<float>({7}, std::endian::little)),
                           "table.npy");
  const Matrix<float> table = read_npy<float>(file.path(), &memory);
  CHECK(table(0, 0) == 7);
  CHECK(table.storage().get_allocator().resource() == &memory);
}
