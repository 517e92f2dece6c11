// SPDX-License-Identifier: BSD-3-Clause
// Runs the tests where there is a CUDA device.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdio>

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t result = cudaGetDeviceCount(&devices);
  if (result != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device: %s\n", cudaGetErrorString(result));
    return 0;
  }
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
    std::printf("on %s\n", properties.name);
  }
  return doctest::Context(argc, argv).run();
}
