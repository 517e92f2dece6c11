// SPDX-License-Identifier: BSD-3-Clause
// Blocks of threads, their shared memory and barriers, on serial_grid.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <prism/core/finite.hpp>
#include <prism/core/parallel.hpp>
#include <prism/execution/serial_grid.hpp>
#include <prism/kernel/thread_block.hpp>

using namespace prism;

namespace {

/// Each thread adds up what all threads of its block have stored, in turn.
struct SumOfThreads {
  struct Shared {
    std::size_t of_thread[detail::block_threads];
  };
  std::size_t* sums;  // a row of block_threads for each block

  template <class Block>
  PRISM_HOST_DEVICE void operator()(const Block& block, Shared& shared, std::size_t index) const {
    typename Block::template PerThread<std::size_t> sum(index);
    for (std::size_t step = 0; step < detail::block_threads; ++step) {
      block.for_each_thread([&](unsigned thread) { shared.of_thread[thread] = thread + step; });
      block.for_each_thread([&](unsigned thread) {
        sum[thread] += shared.of_thread[(thread + step) % detail::block_threads];
      });
    }
    block.for_each_thread(
        [&](unsigned thread) { sums[index * detail::block_threads + thread] = sum[thread]; });
  }
};

/// A kernel with a missing barrier: each thread reads its neighbour's number in the phase in which
/// that is stored.
struct ReadsTooEarly {
  struct Shared {
    double of_thread[detail::block_threads];
  };
  double* read;

  template <class Block>
  PRISM_HOST_DEVICE void operator()(const Block& block, Shared& shared, std::size_t index) const {
    block.for_each_thread([&](unsigned thread) {
      shared.of_thread[thread] = 1;
      if (thread > 0) read[index * detail::block_threads + thread] = shared.of_thread[thread - 1];
    });
  }
};

}  // namespace

TEST_CASE("a block's threads read what others stored in the phase before") {
  std::vector<std::size_t> sums(3 * detail::block_threads);
  for_each_block(serial_grid, 3, SumOfThreads{sums.data()});
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t thread = 0; thread < detail::block_threads; ++thread) {
      std::size_t expected = i;
      for (std::size_t step = 0; step < detail::block_threads; ++step) {
        expected += (thread + step) % detail::block_threads + step;
      }
      REQUIRE(sums[i * detail::block_threads + thread] == expected);
    }
  }
}

TEST_CASE("serial_grid shows a missing barrier in one of two blocks") {
  std::vector<double> read(2 * detail::block_threads, 1);
  for_each_block(serial_grid, 2, ReadsTooEarly{read.data()});
  CHECK(std::ranges::any_of(read, [](double number) { return !detail::is_finite(number); }));
}
