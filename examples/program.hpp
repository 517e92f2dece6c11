// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common: exit statuses, and their handling of the file-size limit.
#pragma once

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

namespace examples {

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

}  // namespace examples
