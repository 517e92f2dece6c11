// SPDX-License-Identifier: BSD-3-Clause
// The options of the programs that train on one file, or on synthetic data.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <prism/data/interactions.hpp>
#include <prism/data/read.hpp>
#include <prism/data/synthetic.hpp>
#include <string>

namespace examples {

struct DataOptions {
  std::string data;  // empty: synthetic
  std::optional<double> min_rating;
  std::uint64_t seed = 123;

  [[nodiscard]] prism::Interactions interactions() const {
    if (data.empty()) return prism::synthetic_interactions({.seed = seed});
    prism::ReadOptions reading;
    reading.min_rating = min_rating;
    return prism::read_interactions(data, reading);
  }
};

/// Declares --data, --min-rating and --seed.
/// @return --data
inline CLI::Option* declare_data(CLI::App& app, DataOptions& options) {
  CLI::Option* const data =
      app.add_option("--data", options.data, "file of interactions; synthetic data if left out")
          ->check(CLI::ExistingFile);
  app.add_option("--min-rating", options.min_rating, "leave out lower ratings")
      ->check(CLI::Number)
      ->needs(data);
  app.add_option("--seed", options.seed, "of all random numbers")->capture_default_str();
  return data;
}

/// Declares --epochs.
inline void declare_epochs(CLI::App& app, std::size_t& epochs) {
  app.add_option("--epochs", epochs, "of a training, at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
}

}  // namespace examples
