// SPDX-License-Identifier: BSD-3-Clause
// Files of other formats are refused by their name, with a way to convert them.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "data/temporary_file.hpp"
#include "prism/data/read.hpp"

using namespace prism;
using namespace std::string_literals;

namespace {

/// The message of the error, without the file's name.
std::string refusal_of(const std::string& text) {
  const TemporaryFile file(text);
  try {
    (void)read_interactions(file.path(), {.format = Format::delimited});
  } catch (const DataError& error) {
    return std::string(error.what()).substr(file.path().string().size());
  }
  return "no error";
}

/// The beginning of a zip archive whose first file has this name.
std::string zip_of(const std::string& name) {
  return "PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s +
         std::string(1, static_cast<char>(name.size())) + "\0\0\0"s + name + "and more";
}

}  // namespace

TEST_CASE("each format that is not read is refused by its name") {
  const std::pair<std::string, std::string> formats[] = {
      {zip_of("[Content_Types].xml"), "is an Excel workbook (xlsx); save its sheet as CSV"},
      {zip_of("xl/workbook.xml"), "is an Excel workbook (xlsx); save its sheet as CSV"},
      {zip_of("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"),
       "is an OpenDocument spreadsheet (ods); save its sheet as CSV"},
      {zip_of("data.npy"), "is an archive of NumPy arrays (npz)"},
      {zip_of("ratings.csv"), "is a zip archive; unpack it first"},
      {"PK\x05\x06"s + std::string(18, '\0'), "is a zip archive; unpack it first"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"s, "is an Excel workbook (xls)"},
      {"ARROW1\0\0\x10\0\0\0"s, "is a Feather or Arrow file"},
      {"FEA1\0\0\0\0"s, "is a Feather file of version 1"},
      {"\xFF\xFF\xFF\xFF\x78\0\0\0\x10\0\0\0"s, "is an Arrow stream"},
      {"ORC\x08\x03\x10\0"s, "is an ORC file"},
      {"PAR1\x15\x04\x15\0"s, "is a Parquet file"},
      {"Obj\x01\x04\x14"s, "is an Avro file"},
      {"\x80\x04\x95\x1F\0\0\0\0\0\0\0"s, "is a Python pickle"},
      {"\x80\x02}q\0."s, "is a Python pickle"},
      {"\x89HDF\r\n\x1A\n\0"s, "is an HDF5 file"},
      {"SQLite format 3\0\x10\0"s, "is an SQLite database"},
      {"\x93NUMPY\x01\0v\0{'descr'"s, "is a NumPy array; save it as CSV"},
      {"RDX3\nX\n\0\0\0\3"s, "is an R data file (RData)"},
      {"X\n\0\0\0\3\0\4\1\0"s, "is an R object (rds)"},
      {"MATLAB 5.0 MAT-file, Platform: GLNXA64"s + "\0\1IM"s, "is a MATLAB file"},
      {"$FL2@(#) SPSS DATA FILE\0\2\0"s, "is an SPSS file"},
      {"<stata_dta><header>", "is a Stata file"},
      {"%PDF-1.7\n%\xE2\xE3\n", "is a PDF document"},
      {"\x04\x22\x4D\x18\x64\x40\xA7"s, "is an lz4 file; unpack it first"},
      {"Rar!\x1A\x07\x01\0"s, "is a rar archive; unpack it first"},
      {"\x1F\x9D\x90 7,8"s, "is a file of compress (.Z); unpack it first"},
      {"\xFD"
       "7zXZ\0\0"s,
       "is an xz file; unpack it first"},
      {"\x28\xB5\x2F\xFD\x24"s, "is a zstd file; unpack it first"},
  };
  for (const auto& [text, words] : formats) {
    CAPTURE(words);
    const std::string refusal = refusal_of(text);
    CHECK(refusal.starts_with(": " + words));
    CHECK(refusal.find("; ") != std::string::npos);  // what to do
  }
}

TEST_CASE("ids with the first letters of other formats are ids") {
  for (const std::string id : {"ORC", "Obj", "FEA1", "ARROW1", "PAR1", "PK", "X", "RDX3", "Rar!",
                               "SQLite format 3", "MATLAB 5.0"}) {
    CAPTURE(id);
    CHECK(refusal_of(id + ",8\n" + id + ",9\n") == "no error");
    CHECK(refusal_of("user,item\n" + id + "\t,8\n") == "no error");
  }
}
