// SPDX-License-Identifier: BSD-3-Clause
// Validator of the name of a file of interactions on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace programs {

/// An existing file, or "-" for the standard input, which can be read only once.
inline CLI::Validator data_file() {
  return CLI::Validator(
      [](std::string& name) -> std::string {
        if (name == "-") name = "/dev/stdin";
        std::error_code none;
        if (std::filesystem::is_directory(name, none)) {
          return name + " is a directory; join its files into one: cat " + name +
                 "/* (headers may be repeated), also into a pipe that --data - reads";
        }
        return CLI::ExistingFile(name);
      },
      "FILE");
}

}  // namespace programs
