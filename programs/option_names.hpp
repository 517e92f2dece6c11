// SPDX-License-Identifier: BSD-3-Clause
// Messages of the library, whose options have other names on a command line.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace programs {

/// A text with the library's options as the command line has them: "the option user" is "the option
/// --user-column", learning_rate is --lr. What is quoted, or part of a path, stays.
[[nodiscard]] std::string in_options(std::string_view text);

/// The message of an error, with options as the command line has them, and so the argument that it
/// is about. The name of a file stays.
[[nodiscard]] std::string message_of(const std::exception& error);

}  // namespace programs
