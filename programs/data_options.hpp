// SPDX-License-Identifier: BSD-3-Clause
// The options of the programs that train on one file, or on synthetic data.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <prism/data/interactions.hpp>
#include <prism/data/read.hpp>
#include <prism/data/synthetic.hpp>
#include <string>

#include "data_file.hpp"
#include "reading_options.hpp"

namespace programs {

struct DataOptions : ReadingOptions {
  std::string data;  // empty: synthetic
  std::uint64_t seed = 123;

  [[nodiscard]] prism::Interactions interactions() const {
    if (data.empty()) return prism::synthetic_interactions({.seed = seed});
    return prism::read_interactions(data, read_options());
  }
};

/// Declares --data, the options for reading it, --min-rating and --seed.
/// @return --data
inline CLI::Option* declare_data(CLI::App& app, DataOptions& options) {
  CLI::Option* const data =
      app.add_option("--data", options.data,
                     "file of interactions, - for standard input; default: synthetic data")
          ->transform(data_file());
  declare_reading(app, options, "--data", "Data");
  declare_min_rating(app, options, "--data", "Data");
  app.add_option("--seed", options.seed, "of all random numbers")->capture_default_str();
  return data;
}

/// Declares --epochs.
inline void declare_epochs(CLI::App& app, std::size_t& epochs) {
  app.add_option("--epochs", epochs, "maximum number of training epochs")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
}

}  // namespace programs
