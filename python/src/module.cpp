// SPDX-License-Identifier: BSD-3-Clause
// The Python module of one instruction set. prismcf/_load.py chooses among those that are
// installed.
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <prism/core/config.hpp>
#include <prism/core/cpu_quota.hpp>
#include <prism/core/error.hpp>
#include <prism/core/instruction_set.hpp>
#include <prism/execution/host.hpp>
#include <string>

namespace {

namespace nb = nanobind;

/// The library's errors as Python's, with the same words.
void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const prism::ArgumentError& argument) {
    PyErr_SetString(PyExc_ValueError, argument.what());
  } catch (const prism::DataError& data) {
    PyErr_SetString(PyExc_OSError, data.what());
  } catch (const prism::DivergenceError& divergence) {
    PyErr_SetString(PyExc_ArithmeticError, divergence.what());
  }
}

/// Limits the threads within a `with` statement; None: to the CPUs of a container's quota, if it
/// has one.
class Threads {
 public:
  explicit Threads(std::optional<std::size_t> threads) : threads_(threads ? threads : quota()) {}
  void enter() {
    if (threads_) limit_.emplace(*threads_);
  }
  void exit(const nb::args&) { limit_.reset(); }

 private:
  static std::optional<std::size_t> quota() {
    static const std::optional<std::size_t> found = prism::cpu_quota();
    return found;
  }

  std::optional<std::size_t> threads_;
  std::optional<prism::ThreadLimit> limit_;
};

}  // namespace

NB_MODULE(PRISMCF_MODULE, module) {
  nb::register_exception_translator(translate);
  module.attr("version") = PRISM_VERSION;
  module.attr("instruction_set") = std::string(prism::instruction_set);
  nb::class_<Threads>(module, "Threads")
      .def(nb::init<std::optional<std::size_t>>(), nb::arg("threads").none())
      .def("__enter__", &Threads::enter)
      .def("__exit__", &Threads::exit);
  prismcf::bind_data(module);
  prismcf::bind_reading(module);
  prismcf::bind_policies(module);
  prismcf::bind_model(module);
  prismcf::bind_ranker(module);
}
