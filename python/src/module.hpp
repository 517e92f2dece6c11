// SPDX-License-Identifier: BSD-3-Clause
// The parts of the Python module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <prism/core/index.hpp>
#include <span>
#include <utility>
#include <vector>

namespace prismcf {

namespace nb = nanobind;

/// Row numbers of users or items from Python.
using IndexArray = nb::ndarray<const prism::Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

[[nodiscard]] inline std::span<const prism::Index> numbers_of(const IndexArray& array) {
  return {array.data(), array.size()};
}

/// A NumPy array that owns its numbers.
template <class T>
[[nodiscard]] nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> numbers,
                                                 std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = owned->data();
  const nb::capsule owner(
      owned.release(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
  return {data, shape, owner};
}
template <class T>
[[nodiscard]] nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> numbers) {
  const std::size_t size = numbers.size();
  return to_numpy(std::move(numbers), {size});
}

void bind_data(nb::module_& module);
void bind_reading(nb::module_& module);
void bind_policies(nb::module_& module);
void bind_model(nb::module_& module);
void bind_ranker(nb::module_& module);

}  // namespace prismcf
