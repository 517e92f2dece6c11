// SPDX-License-Identifier: BSD-3-Clause
// Access to the golden values, float64 from PyTorch's autograd.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#if defined(PRISM_TEST_CUDA)
#include <prism/cuda.hpp>
#endif
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <vector>

#if defined(PRISM_TEST_SERIAL_GRID)
#include "guarded_grid.hpp"
#endif
#include "support/evaluation.hpp"
#include "support/nan_max.hpp"
#include "support/npy.hpp"

namespace test {

/// The execution of the golden cases. They are compiled several times: for the host's threads and
/// vector kernels, for one thread and plain C++, and for a device's grids, on the host, with memory
/// that the host does not touch, and, where there is one, on a device.
#if defined(PRISM_TEST_CUDA)
using GoldenExecution = prism::cuda::Device;
#elif defined(PRISM_TEST_SERIAL)
using GoldenExecution = prism::Serial;
#elif defined(PRISM_TEST_SERIAL_GRID)
using GoldenExecution = GuardedGrid;
#else
using GoldenExecution = prism::Host<>;
#endif

inline std::filesystem::path golden_folder() {
  const char* const given = std::getenv("PRISM_GOLDEN");
  if (given != nullptr && *given != '\0') return given;
  return std::filesystem::path(PRISM_SOURCE_DIR) / "tests/golden/cases";
}

/// A folder of arrays. A missing case is a failure, never skipped.
class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name) : folder_(golden_folder() / name) {
    INFO("golden values are expected in ", golden_folder().string(),
         "; PRISM_GOLDEN names another folder, tests/golden/make_golden.py fills it");
    REQUIRE(std::filesystem::is_directory(folder_));
  }

  [[nodiscard]] Array operator[](const std::string& array) const {
    return read_npy(folder_ / (array + ".npy"));
  }

  template <class T>
  [[nodiscard]] prism::Matrix<T> matrix(const std::string& array) const {
    const Array from = (*this)[array];
    auto table = prism::zeros<T>(from.rows(), from.columns());
    std::ranges::transform(from.values, table.data(), [](double x) { return static_cast<T>(x); });
    return table;
  }

  [[nodiscard]] std::vector<prism::Index> indices(const std::string& array) const {
    const Array from = (*this)[array];
    std::vector<prism::Index> result(from.values.size());
    std::ranges::transform(from.values, result.begin(),
                           [](double x) { return static_cast<prism::Index>(x); });
    return result;
  }

  [[nodiscard]] std::vector<prism::Interaction> pairs(const std::string& array) const {
    const std::vector<prism::Index> flat = indices(array);
    std::vector<prism::Interaction> result;
    for (std::size_t p = 0; p + 1 < flat.size(); p += 2) result.push_back({flat[p], flat[p + 1]});
    return result;
  }

 private:
  std::filesystem::path folder_;
};

/// The largest difference of two lists of numbers, relative to the largest absolute value of
/// `expected`.
template <class T>
double relative_error(std::span<const T> actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference = nan_max(difference, std::abs(static_cast<double>(actual[i]) - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

template <class T>
double relative_error(const prism::Matrix<T>& actual, const Array& expected) {
  return relative_error(std::span<const T>(actual.data(), actual.size()), expected.values);
}

/// Sets the parameters of an evaluation to the values of golden arrays, in their order.
template <class T, class Evaluation>
void set_parameters(Evaluation& evaluate, const GoldenCase& golden,
                    const std::vector<std::string>& arrays) {
  const auto parameters = evaluate.parameters();
  REQUIRE(parameters.size() == arrays.size());
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const auto given = golden.matrix<T>(arrays[k]);
    REQUIRE(given.size() == parameters[k].rows.num_elements());
    std::ranges::copy(given, parameters[k].rows.data());
  }
}

/// The largest relative error allowed, for double and for float.
template <class T>
inline constexpr double bound = std::is_same_v<T, double> ? 1e-10 : 1e-5;

/// Compares the value and the gradients of an evaluation with those of a case: `value_name`,
/// grad_users, grad_items, and grad_NAME for each of the parameters.
template <class T, class Evaluation>
void check_value_and_gradients(Evaluation& evaluate, const GoldenCase& golden,
                               const std::vector<std::string>& parameters,
                               const std::string& value_name = "loss") {
  set_parameters<T>(evaluate, golden, parameters);
  Gradients<T> gradients;
  const double value = evaluate(golden.matrix<T>("users"), golden.matrix<T>("items"), &gradients);
  CHECK(relative_error(std::span<const double>(&value, 1), golden[value_name].values) <= bound<T>);
  CHECK(relative_error(gradients.users, golden["grad_users"]) <= bound<T>);
  CHECK(relative_error(gradients.items, golden["grad_items"]) <= bound<T>);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    CHECK(relative_error(gradients.parameters[k], golden["grad_" + parameters[k]]) <= bound<T>);
  }
}

}  // namespace test
