// SPDX-License-Identifier: BSD-3-Clause
// The module prismcf._cpu: which variants this processor can run. Compiled for any processor.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace {

/// The level of x86-64, 1 to 4; 0 for another architecture.
PyObject* level(PyObject*, PyObject*) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return PyLong_FromLong(4);
  if (__builtin_cpu_supports("x86-64-v3")) return PyLong_FromLong(3);
  if (__builtin_cpu_supports("x86-64-v2")) return PyLong_FromLong(2);
  return PyLong_FromLong(1);
#else
  return PyLong_FromLong(0);
#endif
}

PyMethodDef methods[] = {{"level", level, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&module); }
