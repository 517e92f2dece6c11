// SPDX-License-Identifier: BSD-3-Clause
// Texts of any bytes, in files with one text per line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/data/ids.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::string_view escape_letters = "nrt\\";  ///< after a backslash
inline constexpr std::string_view escaped_characters = "\n\r\t\\";

/// Any text as one line without tabs: line break, carriage return, tab and backslash are written as
/// \n, \r, \t and \\. So are the ids in the files of save_model() and save_embeddings().
[[nodiscard]] PRISM_INLINE std::string escaped_line(std::string_view text);

/// The text of such a line; nullopt if a backslash is followed by anything else.
[[nodiscard]] PRISM_INLINE std::optional<std::string> unescaped_line(std::string_view line);

/// A file of ids: the id of row r in line r + 1, escaped.
[[nodiscard]] PRISM_INLINE std::string id_lines(const Ids& ids);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/serve/escaped_line.inl.hpp"
#endif
