// SPDX-License-Identifier: BSD-3-Clause
// The options of `verify_theorem`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace theorem {

struct Settings {
  std::int64_t draws = 100'000;
  std::uint64_t seed = 123;
  std::optional<std::size_t> threads;

  bool no_training = false;
  std::string data;  // empty: synthetic
  std::optional<double> min_rating;
  std::size_t epochs = 100;
  double learning_rate = 3e-3;
  double lambda = 1e-4;

  std::string pictures;  // empty: none
};

}  // namespace theorem
