// SPDX-License-Identifier: BSD-3-Clause
// The lines above the data of a file: comments, MatrixMarket's sizes.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/field_splitter.hpp"
#include "prism/data/format.hpp"
#include "prism/data/records.hpp"
#include "prism/data/rows_without_data.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The lines above the data.
struct Preamble {
  std::size_t bytes = 0;
  std::size_t lines = 0;
  std::vector<std::string> comments = {};   ///< verbatim, with their prefix
  std::string comment = {};                 ///< the prefix of comments; empty: there are none
  std::string delimiter = {};               ///< of Excel's first line, "sep=;"; empty: none
  bool konect = false;                      ///< columns between spaces or tabs, no header
  std::optional<std::size_t> entries = {};  ///< MatrixMarket: the number that the file declares
  std::size_t rows = 0, columns = 0;        ///< of MatrixMarket
  bool pattern = false;                     ///< MatrixMarket: without values
};

/// Reads the lines above the data.
class PreambleReader {
 public:
  /// @param text   the beginning of the file
  /// @param whole  whether it is the whole file
  PreambleReader(std::string file, std::string_view text, bool whole, const ReadOptions& options)
      : file_(std::move(file)), text_(text), whole_(whole), options_(options) {}

  /// Returns nullopt if the text ends before the first line of data.
  std::optional<Preamble> read() {
    if (text_.starts_with("%%MatrixMarket")) {
      if (!read_matrix_market()) return std::nullopt;
    } else {
      if (has_line()) read_separator();
      if (!options_.comment || !options_.comment->empty()) read_comments();
    }
    if (!has_line()) return std::nullopt;
    return std::move(preamble_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const {
    throw DataError(file_, line, problem);
  }

  std::string_view next_line() const {
    const std::string_view rest = text_.substr(preamble_.bytes);
    return rest.substr(0, rest.find('\n'));
  }
  /// Whether the text has all of the next line, or is the whole file.
  bool has_line() const { return whole_ || text_.find('\n', preamble_.bytes) != text_.npos; }
  void take(std::string_view line) {
    preamble_.bytes = std::min(preamble_.bytes + line.size() + 1, text_.size());
    ++preamble_.lines;
  }

  /// Excel's first line, which says what separates the columns.
  void read_separator() {
    const std::string_view whole = next_line();
    std::string_view line = without_return(without_mark(whole));
    if (line.size() > 2 && line.starts_with('"') && line.ends_with('"')) {
      line = line.substr(1, line.size() - 2);
    }
    if (line.size() != 5 || (!line.starts_with("sep=") && !line.starts_with("SEP="))) return;
    preamble_.delimiter = line.back();
    take(whole);
  }

  void read_comments() {
    preamble_.comment = options_.comment.value_or("");
    while (preamble_.bytes < text_.size()) {
      const std::string_view whole = next_line(), line = without_mark(whole);
      if (!is_blank(without_return(line))) {
        if (preamble_.comment.empty() && (line[0] == '#' || line[0] == '%')) {
          preamble_.comment = line[0];
        }
        if (preamble_.comment.empty() || !line.starts_with(preamble_.comment)) break;
        preamble_.comments.emplace_back(without_return(line));
      }
      take(whole);
    }
    if (preamble_.comments.empty()) return;
    const std::string& first = preamble_.comments[0];
    for (const char* const kind : {"% bip", "% sym", "% asym"}) {
      preamble_.konect |= first.starts_with(kind);
    }
  }

  // %%MatrixMarket matrix coordinate real general, comments, the sizes; then row, column and value.
  // Returns false if the text ends before the sizes do.
  bool read_matrix_market() {
    if (!has_line()) return false;
    const std::string_view first = next_line();
    take(first);
    std::string banner(without_return(first));
    for (char& c : banner) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    FieldSplitter words(" ");
    (void)words.split(banner);
    if (words.size() != 5 || words[1] != "matrix" || words[2] != "coordinate" ||
        (words[3] != "real" && words[3] != "integer" && words[3] != "pattern") ||
        words[4] != "general") {
      fail(
          1,
          "is an unsupported kind of MatrixMarket file; save it as 'matrix coordinate', of 'real', "
          "'integer' or 'pattern' values, 'general', with a row for each user");
    }
    preamble_.pattern = words[3] == "pattern";
    preamble_.comment = "%";
    while (preamble_.bytes < text_.size() || !whole_) {
      if (!has_line()) return false;
      const std::string_view whole = next_line(), line = without_mark(whole);
      take(whole);
      const bool is_comment = line.starts_with('%');
      if (is_comment) preamble_.comments.emplace_back(without_return(line));
      if (is_comment || is_blank(without_return(line))) continue;
      (void)words.split(without_return(line));
      std::size_t sizes[3] = {};
      bool read_all = words.size() == 3;
      for (std::size_t k = 0; read_all && k < 3; ++k) {
        const char* const end = words[k].data() + words[k].size();
        const auto read = std::from_chars(words[k].data(), end, sizes[k]);
        read_all = read.ec == std::errc() && read.ptr == end;
      }
      if (!read_all || sizes[0] == 0 || sizes[1] == 0) {
        fail(preamble_.lines, "must be MatrixMarket's size line: rows, columns, entries");
      }
      preamble_.rows = sizes[0];
      preamble_.columns = sizes[1];
      preamble_.entries = sizes[2];
      return true;
    }
    fail(preamble_.lines, "ends before MatrixMarket's size line");
  }

  std::string file_;
  std::string_view text_;
  bool whole_;
  ReadOptions options_;
  Preamble preamble_;
};

}  // namespace prism::inline PRISM_ISA::detail
