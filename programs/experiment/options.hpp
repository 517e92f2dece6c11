// SPDX-License-Identifier: BSD-3-Clause
// What the declarations of options have in common.
#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <prism/core/error.hpp>
#include <prism/serve/staged_files.hpp>
#include <string>
#include <system_error>

#include "number_options.hpp"
#include "settings.hpp"

namespace experiment {

using programs::number_between;
using programs::number_from;

/// Why a file cannot be in the folder that its path names; empty if it can.
[[nodiscard]] inline std::string problem_of_folder(const std::string& path) {
  if (path.empty()) return "must name a file";
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::absolute(path, none).parent_path();
  return std::filesystem::is_directory(folder, none) ? "" : "there is no folder " + folder.string();
}

/// Why a file or folder cannot be accessed; empty if it can.
/// @param name  of it, for the message
/// @param mode  of access()
[[nodiscard]] inline std::string problem_of_access(const std::filesystem::path& place, int mode,
                                                   const std::string& name) {
  if (::access(place.c_str(), mode) == 0) return {};
  return name + ": cannot be written: " + std::error_code(errno, std::generic_category()).message();
}

/// A file to be written whole, which is checked before hours of training.
inline CLI::Validator writable_file() {
  return CLI::Validator(
      [](std::string& path) -> std::string {
        if (std::string problem = problem_of_folder(path); !problem.empty()) return problem;
        try {
          std::error_code none;
          const std::filesystem::path whole = std::filesystem::absolute(path, none);
          prism::detail::StagedFiles(whole.parent_path()).write(whole.filename(), "");
        } catch (const std::exception& error) {
          return error.what();
        }
        return {};
      },
      "FILE");
}

/// A file to append to, in a folder that need not be writable if the file exists.
inline CLI::Validator appendable_file() {
  return CLI::Validator(
      [](std::string& path) -> std::string {
        if (std::string problem = problem_of_folder(path); !problem.empty()) return problem;
        std::error_code none;
        if (std::filesystem::exists(path, none)) return problem_of_access(path, R_OK | W_OK, path);
        const std::filesystem::path folder = std::filesystem::absolute(path, none).parent_path();
        return problem_of_access(folder, W_OK | X_OK, folder.string());
      },
      "FILE");
}

/// A folder that exists or can be created. Does not create it, as another option may be refused.
inline CLI::Validator writable_folder() {
  return CLI::Validator(
      [](std::string& path) -> std::string {
        if (path.empty()) return "must name a folder";
        std::error_code error;
        std::filesystem::path folder = std::filesystem::absolute(path, error).lexically_normal();
        if (!folder.has_filename()) folder = folder.parent_path();  // a trailing slash
        while (!std::filesystem::exists(std::filesystem::symlink_status(folder, error)) &&
               folder.has_relative_path()) {
          folder = folder.parent_path();
        }
        if (!std::filesystem::is_directory(folder, error)) {
          return path + ": cannot be created: " + folder.string() + " is not a folder";
        }
        return problem_of_access(folder, W_OK | X_OK, path);
      },
      "FOLDER");
}

/// Declares one of list_options.
inline CLI::Option* list_option(CLI::App& app, Settings& settings, const std::string& name,
                                const std::string& text) {
  const auto option =
      std::ranges::find_if(list_options, [&](const ListOption& each) { return each.name == name; });
  const double value = settings.*option->value;
  CLI::Option* added = app.add_option("--" + name, settings.lists[name], text)
                           ->delimiter(',')
                           ->type_name("FLOAT,...");
  if (value > 0) added->default_str(prism::format_number(value));
  return added;
}

/// The options of the data and its split.
void declare_split_options(CLI::App& app, Settings& settings);
/// The options of policies.
void declare_policy_options(CLI::App& app, Settings& settings);
/// The options of magnitudes from popularity in ranking.
void declare_ranking_options(CLI::App& app, Settings& settings);
/// The options that say what to write, and where.
void declare_output_options(CLI::App& app, Settings& settings);
/// @throws CLI::ValidationError  if an output would overwrite an input or another output
void refuse_one_file_for_two(const Settings& settings);
/// The policies that read an option, in words; empty if all do.
[[nodiscard]] std::string readers(const std::string& option);

}  // namespace experiment
