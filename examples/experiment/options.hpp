// SPDX-License-Identifier: BSD-3-Clause
// What the declarations of options share.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <prism/serve/staged_files.hpp>
#include <string>

#include "settings.hpp"

namespace experiment {

/// A finite number of at least (or, if strictly, above) `low`; CLI::Range accepts infinity and NaN.
inline CLI::Validator number_from(double low, bool strictly) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        const bool read = CLI::detail::lexical_cast(text, value);
        if (read && std::isfinite(value) && (strictly ? value > low : value >= low)) return {};
        return "must be a finite number " + std::string(strictly ? "above " : "of at least ") +
               CLI::detail::to_string(low) + ", not " + text;
      },
      strictly ? "NUMBER > " + CLI::detail::to_string(low)
               : "NUMBER >= " + CLI::detail::to_string(low));
}

/// A number from `low` to `high`.
inline CLI::Validator number_between(double low, double high) {
  return number_from(low, false) & CLI::Range(low, high);
}

/// Reads a whole number as decimal, where CLI11 takes a leading zero for octal.
inline CLI::Validator decimal() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && !text.empty()) {
          text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
        }
        return {};
      },
      "");
}

/// A file that can be written, which is checked before hours of training.
inline CLI::Validator writable_file() {
  return CLI::Validator(
      [](std::string& path) -> std::string {
        if (path.empty()) return "must name a file";
        const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
        if (!std::filesystem::is_directory(folder)) return "there is no folder " + folder.string();
        try {
          prism::StagedFiles(folder).write(std::filesystem::path(path).filename(), "");
        } catch (const prism::Error& error) {
          return error.what();
        }
        return {};
      },
      "FILE");
}

/// A folder that exists or can be created.
inline CLI::Validator writable_folder() {
  return CLI::Validator(
      [](std::string& path) -> std::string {
        if (path.empty()) return "must name a folder";
        try {
          const prism::StagedFiles made(path);
        } catch (const prism::Error& error) {
          return error.what();
        }
        return {};
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
  if (value > 0) added->default_str(CLI::detail::to_string(value));
  return added;
}

/// The options of policies.
void declare_policy_options(CLI::App& app, Settings& settings);
/// The policies that read an option, in words; empty where all do.
[[nodiscard]] std::string readers(const std::string& option);

}  // namespace experiment
