// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common: their exit statuses, and how they meet the limit of a file.
#pragma once

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

namespace examples {

/// Has a write beyond the limit of a file's size (ulimit -f) fail with an error, as one to a full
/// disk does; the signal would end the program.
inline void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

/// Ends what a program writes to the standard output; where that could not be written, says so.
[[nodiscard]] inline bool flush_output(const char* program) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  std::fprintf(stderr, "%s: the standard output cannot be written\n", program);
  return false;
}

/// Prints what an ended parse has to say. @return 0 after --help, 2 for options that are wrong
[[nodiscard]] inline int exit_status(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? 0 : 2;
}

}  // namespace examples
