// SPDX-License-Identifier: BSD-3-Clause
// The options of `verify_theorem`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "data_options.hpp"

namespace theorem {

struct Settings : programs::DataOptions {
  std::int64_t draws = 100'000;
  std::optional<std::size_t> threads;

  bool no_training = false;
  std::size_t epochs = 100;
  double learning_rate = 3e-3;
  double lambda = 1e-4;

  std::string pictures;  // empty: none
};

}  // namespace theorem
