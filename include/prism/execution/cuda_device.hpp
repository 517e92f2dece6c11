// SPDX-License-Identifier: BSD-3-Clause
// Execution on a CUDA device. Needs a CUDA compiler with --extended-lambda and
// --expt-relaxed-constexpr.
#pragma once

#if !defined(__CUDACC__)
#error \
    "prism/cuda.hpp needs a CUDA compiler: compile this file as CUDA (a .cu file, or LANGUAGE CUDA)"
#endif

#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <memory_resource>
#include <string>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"
#include "prism/cuda/error.hpp"
#include "prism/cuda/memory.hpp"
#include "prism/execution/host.hpp"
#include "prism/kernel/pack.hpp"
#include "prism/kernel/pack_warp.hpp"
#include "prism/kernel/thread_block.hpp"

namespace prism::inline PRISM_ISA {

namespace cuda {

namespace {

/// The calling thread's current device (cudaSetDevice). In each file that is compiled as CUDA it is
/// another type, and so are templates that are instantiated with it: nvcc wraps each
/// __host__ __device__ lambda in a class whose functions have external linkage, but keeps what they
/// call by pointer in the file. Were the type the same, the linker would keep one file's functions,
/// and another file's pointers would be null.
struct Device {
  using isa = prism::isa::warp;
};

/// `fit(cuda::device(), model, split)`: the calling thread's current device.
[[nodiscard, maybe_unused]] Device device() noexcept { return {}; }

}  // namespace

namespace detail {

inline constexpr unsigned block_warps = prism::detail::block_threads / 32;

/// Checks what a loop's lambda has captured. In device code only: on the host nvcc puts another
/// type in its place.
template <class Body>
__device__ constexpr void check_captures() {
#if defined(__CUDA_ARCH__)
  static_assert(std::is_trivially_copyable_v<Body>,
                "a loop that a device runs must capture only numbers and views, no containers and "
                "no LossStep or BackboneStep");
#endif
}

template <class Body>
__global__ void __launch_bounds__(prism::detail::block_threads)
    warps_kernel(std::size_t n, const __grid_constant__ Body body) {
  check_captures<Body>();
  const std::size_t warp = (std::size_t{blockIdx.x} * prism::detail::block_threads + threadIdx.x) /
                           Lanes<isa::warp>::count;
  if (warp < n) body(warp);
}

template <class Body>
__global__ void __launch_bounds__(prism::detail::block_threads)
    lanes_kernel(std::size_t n, const __grid_constant__ Body body) {
  check_captures<Body>();
  const std::size_t lane = std::size_t{blockIdx.x} * prism::detail::block_threads + threadIdx.x;
  if (lane < n) body(lane);
}

template <class Body>
__global__ void __launch_bounds__(prism::detail::block_threads)
    terms_kernel(std::size_t n, const __grid_constant__ Body body, double* terms) {
  check_captures<Body>();
  const std::size_t warp = (std::size_t{blockIdx.x} * prism::detail::block_threads + threadIdx.x) /
                           Lanes<isa::warp>::count;
  if (warp >= n) return;
  const double term = body(warp);
  if (Lanes<isa::warp>::lane() == 0) terms[warp] = term;
}

/// The block of threads that runs this code.
class ThreadBlock {
 public:
  template <class T>
  class PerThread {
   public:
    PRISM_HOST_DEVICE explicit PerThread(const T& initial) noexcept : value_(initial) {}
    [[nodiscard]] PRISM_HOST_DEVICE T& operator[](unsigned /*thread*/) noexcept { return value_; }

   private:
    T value_;
  };

  template <class Body>
  PRISM_HOST_DEVICE void for_each_thread(const Body& body) const {
#if defined(__CUDA_ARCH__)
    body(threadIdx.x);
    __syncthreads();
#else
    body(0);  // also compiled for the host, but never run there
#endif
  }
};

template <class Kernel>
__global__ void __launch_bounds__(prism::detail::block_threads,
                                  prism::detail::resident_blocks<Kernel>)
    blocks_kernel(const __grid_constant__ Kernel kernel) {
  using Shared = typename Kernel::Shared;
  static_assert(std::is_trivial_v<Shared> && sizeof(Shared) <= std::size_t{48} * 1024);
  __shared__ Shared shared;
  kernel(ThreadBlock(), shared, blockIdx.x);
}

/// Runs as one block: the order of the sum depends only on n.
template <class Number>
__global__ void sum_kernel(std::size_t n, const Number* terms, Number* sum) {
  __shared__ Number partial_sums[prism::detail::block_threads];
  Number total = 0;
  for (std::size_t i = threadIdx.x; i < n; i += prism::detail::block_threads) total += terms[i];
  partial_sums[threadIdx.x] = total;
  __syncthreads();
  for (unsigned distance = prism::detail::block_threads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) partial_sums[threadIdx.x] += partial_sums[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = partial_sums[0];
}

/// The stream of everything that the calling thread launches.
[[nodiscard]] inline cudaStream_t stream() noexcept { return cudaStreamPerThread; }

/// @throws DeviceError  if there are more blocks than a grid may have
[[nodiscard]] inline unsigned blocks_of(std::size_t n, std::size_t in_block) {
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;
  const std::size_t blocks = n / in_block + (n % in_block > 0);
  if (blocks > most) {
    throw DeviceError("a loop of " + std::to_string(n) + " steps is too long for a device");
  }
  return static_cast<unsigned>(blocks);
}

/// The terms of a sum, and the sum itself where the host reads it.
struct SumMemory {
  TableVector<double> terms;
  TableVector<double> sum;

  explicit SumMemory(Memory* memory)
      : terms(memory), sum(std::size_t{1}, TableAllocator<double>(memory->pinned())) {}
};
/// The calling thread's memory for its current device. When the thread ends, it is returned to
/// memory(), which outlives all threads.
[[nodiscard]] inline SumMemory& sum_memory(std::size_t terms) {
  thread_local std::map<int, SumMemory> memories;
  Memory* const current = memory();
  SumMemory& own = memories.try_emplace(current->device(), current).first->second;
  if (!prism::detail::serves(own.terms.size(), terms)) {
    own.terms = TableVector<double>(prism::detail::with_spare(terms, terms),
                                    TableAllocator<double>(current));
  }
  return own;
}

}  // namespace detail

}  // namespace cuda

template <>
inline constexpr bool runs_on_device<cuda::Device> = true;

template <>
struct Backend<cuda::Device> {
  [[nodiscard]] static Host<> host_of(const cuda::Device& /*exec*/) noexcept { return {}; }

  template <class Body>
  static void on_warps(const cuda::Device& /*exec*/, std::size_t n, const Body& body) {
    if (n == 0) return;
    cuda::detail::warps_kernel<<<cuda::detail::blocks_of(n, cuda::detail::block_warps),
                                 detail::block_threads, 0, cuda::detail::stream()>>>(n, body);
    cuda::check(cudaGetLastError(), "starting a loop on warps");
  }
  template <class Body>
  static void on_lanes(const cuda::Device& /*exec*/, std::size_t n, const Body& body) {
    if (n == 0) return;
    cuda::detail::lanes_kernel<<<cuda::detail::blocks_of(n, detail::block_threads),
                                 detail::block_threads, 0, cuda::detail::stream()>>>(n, body);
    cuda::check(cudaGetLastError(), "starting a loop on lanes");
  }
  template <class Body>
  [[nodiscard]] static double sum_on_warps(const cuda::Device& exec, std::size_t n,
                                           const Body& body) {
    if (n == 0) return 0;
    cuda::detail::SumMemory& memory = cuda::detail::sum_memory(n);
    double* const terms = memory.terms.data();
    cuda::detail::terms_kernel<<<cuda::detail::blocks_of(n, cuda::detail::block_warps),
                                 detail::block_threads, 0, cuda::detail::stream()>>>(n, body,
                                                                                     terms);
    cuda::detail::sum_kernel<<<1, detail::block_threads, 0, cuda::detail::stream()>>>(
        n, terms, memory.sum.data());
    cuda::check(cudaGetLastError(), "starting a sum");
    synchronise(exec);
    return memory.sum[0];
  }
  template <class Kernel>
  static void on_blocks(const cuda::Device& /*exec*/, std::size_t n, const Kernel& kernel) {
    if (n == 0) return;
    const unsigned blocks = cuda::detail::blocks_of(n, 1);
    cuda::detail::blocks_kernel<<<blocks, detail::block_threads, 0, cuda::detail::stream()>>>(
        kernel);
    cuda::check(cudaGetLastError(), "starting a loop on blocks of threads");
  }
  static void synchronise(const cuda::Device& /*exec*/) {
    cuda::check(cudaStreamSynchronize(cuda::detail::stream()), "waiting for the device");
  }
  [[nodiscard]] static std::pmr::memory_resource* memory(const cuda::Device& /*exec*/) {
    return cuda::memory();
  }
  [[nodiscard]] static bool can_read(const cuda::Device& /*exec*/, const void* address) {
    if (address == nullptr) return false;  // an empty list
    cudaPointerAttributes attributes{};
    cuda::check(cudaPointerGetAttributes(&attributes, address), "looking up an address");
    if (attributes.type != cudaMemoryTypeDevice) {
      return attributes.type != cudaMemoryTypeUnregistered;
    }
    int device = 0;
    cuda::check(cudaGetDevice(&device), "getting the current device");
    // The host reads what the device cannot, but could not read this either.
    require(attributes.device == device, "device",
            "must be " + std::to_string(attributes.device) +
                ", whose memory has the data to read, not " + std::to_string(device) +
                "; make it current with cudaSetDevice");
    return true;
  }
};

}  // namespace prism::inline PRISM_ISA
