// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common: parsing, exit statuses, errors, and their handling of the
// file-size limit.
#pragma once

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "number_options.hpp"
#include "option_names.hpp"

namespace programs {

/// Makes a write beyond the file-size limit (ulimit -f) fail with an error, like a write to a full
/// disk; by default, a signal would end the program.
inline void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

/// Flushes the standard output; prints an error if it could not be written.
[[nodiscard]] inline bool flush_output(const char* program) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "%s: standard output cannot be written\n", program);
  return false;
}

/// Prints the message of a ParseError. @return 0 after --help, 2 for wrong options
[[nodiscard]] inline int exit_status(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? 0 : 2;
}

/// A check that refuses an empty name. @param of  what it names, such as "a folder"
[[nodiscard]] inline auto named(const char* of) {
  return [of](const std::string& name) {
    return name.empty() ? std::string("must name ") + of : std::string();
  };
}

/// Parses the command line and runs the program, whose errors begin with its name.
/// @param body  () -> int, the exit status
/// @return 2 for wrong options, 1 for an error or output that cannot be written
template <class Body>
[[nodiscard]] int run_program(CLI::App& app, int argc, char** argv, const Body& body) {
  read_whole_numbers(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_status(app, error);
  }
  ignore_file_size_signal();
  const std::string name = app.get_name();
  try {
    const int status = body();
    return flush_output(name.c_str()) ? status : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), message_of(error).c_str());
    return 1;
  }
}

}  // namespace programs
