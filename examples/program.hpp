// SPDX-License-Identifier: BSD-3-Clause
// What the programs have in common: their exit statuses, and how they meet the limit of a file.
#pragma once

#include <CLI/CLI.hpp>
#include <csignal>

namespace examples {

/// Has a write beyond the limit of a file's size (ulimit -f) fail with an error, as one to a full
/// disk does; the signal would end the program.
inline void ignore_file_size_signal() { std::signal(SIGXFSZ, SIG_IGN); }

/// Prints what an ended parse has to say. @return 0 after --help, 2 for options that are wrong
[[nodiscard]] inline int exit_status(const CLI::App& app, const CLI::ParseError& error) {
  return app.exit(error) == 0 ? 0 : 2;
}

}  // namespace examples
