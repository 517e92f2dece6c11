// SPDX-License-Identifier: BSD-3-Clause
// Compiled with and without PRISM_HAS_ZLIB, with its function named UNIT.
#include "unit.hpp"

#include <prism/core/error.hpp>
#include <prism/data/read.hpp>

std::string UNIT(const std::string& path) {
  try {
    const prism::Interactions all = prism::read_interactions(path);
    const prism::TrainTest parts = prism::read_train_test(path, path);
    return std::to_string(all.size()) + " and " + std::to_string(parts.test.size());
  } catch (const prism::DataError& error) {
    return error.what();
  }
}
