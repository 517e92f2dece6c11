// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <prism/core/block_cache.hpp>
#include <prism/core/error.hpp>
#include <prism/core/index.hpp>
#include <prism/core/matrix.hpp>
#include <prism/core/parallel.hpp>
#include <prism/core/random.hpp>
#include <prism/core/scratch.hpp>
#include <prism/execution/host.hpp>
#include <string>
#include <type_traits>
#include <vector>

using namespace prism;

namespace {

template <real Value>
struct Tag {};

bool on_a_cache_line(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

}  // namespace

TEST_CASE("real numbers as template parameters distinguish types by value") {
  static_assert(std::is_same_v<Tag<0.5>, Tag<0.5>>);
  static_assert(std::is_same_v<Tag<0.0>, Tag<-0.0>>);
  static_assert(!std::is_same_v<Tag<0.5>, Tag<0.25>>);
  static_assert(!std::is_same_v<Tag<0.0>, Tag<dynamic>>);
  CHECK(real(0.5).value == 0.5);
}

TEST_CASE("tables are aligned, and keep xtensor's interface") {
  for (const std::size_t dim : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    Matrix<float> table = zeros<float>(5, dim);
    CHECK(on_a_cache_line(table.data()));
    CHECK(rows(table).size() == 5);
    CHECK(rows(table).dim() == dim);
    table(4, 0) = 3;
    CHECK(rows(table)[4][0] == 3);
    const Matrix<float> twice = 2.f * table;
    CHECK(twice(4, 0) == 6);
  }
}

TEST_CASE("rows are selected by index, or all in order") {
  auto table = zeros<float>(4, 3);
  for (std::size_t r = 0; r < 4; ++r) table(r, 1) = static_cast<float>(r);
  const std::vector<Index> numbers{3, 0, 3};
  const IndexedRows<const float> picked(rows(table), numbers), all = rows(table);
  CHECK(picked.size() == 3);
  CHECK(picked.dim() == 3);
  CHECK(picked[0] == rows(table)[3]);
  CHECK(picked[1] == rows(table)[0]);
  CHECK(picked[2] == picked[0]);
  CHECK(picked.first(2).size() == 2);
  CHECK(picked.first(2)[1] == picked[1]);
  CHECK(all.size() == 4);
  CHECK(all[2] == rows(table)[2]);
}

TEST_CASE("scratch memory is zero from a given row on") {
  Scratch scratch;
  const Rows<float> dirty = scratch.allocate<float>(5, 3);
  std::fill_n(dirty.data(), dirty.num_elements(), 7.0F);
  scratch.reset();
  const Rows<float> rows = scratch.allocate_zeros<float>(par, 5, 3, 2);
  if (!separate_allocations) {
    REQUIRE(rows.data() == dirty.data());
    CHECK(rows[1][2] == 7);
  }
  for (std::size_t e = 6; e < rows.num_elements(); ++e) CHECK(rows.data()[e] == 0);
}

TEST_CASE("scratch memory is distinct and aligned, and reused after reset") {
  Scratch scratch;
  std::vector<float*> first;
  for (int round = 0; round < 3; ++round) {
    std::vector<float*> taken;
    for (const std::size_t size : {std::size_t{3}, std::size_t{1} << 19, std::size_t{70}}) {
      const Rows<float> got = scratch.allocate_zeros<float>(par, size, 7);
      REQUIRE(on_a_cache_line(got.data()));
      for (std::size_t i = 0; i < got.num_elements(); ++i) REQUIRE(got.data()[i] == 0);
      std::fill_n(got.data(), got.num_elements(), static_cast<float>(size));
      taken.push_back(got.data());
    }
    REQUIRE(*taken[0] == 3);  // not overwritten by later allocations
    if (round == 1) first = taken;
    if (round > 1 && !separate_allocations) CHECK(taken == first);
    scratch.reset();
  }
}

TEST_CASE("scratch memory is little more than the largest step needed") {
  Scratch scratch;
  const Random random(1, Stream::synthetic);
  std::size_t largest = 0;
  constexpr std::uint64_t rounds = separate_allocations ? 20 : 5000;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::size_t bytes = 0;
    for (std::uint64_t k = 0; k < 6; ++k) {
      const std::size_t size = 4000 + random.uniform_int(6 * round + k, 100);
      static_cast<void>(scratch.allocate<float>(size, 32));
      bytes += size * 32 * sizeof(float);
    }
    largest = std::max(largest, bytes);
    scratch.reset();
  }
  if (separate_allocations) {
    CHECK(scratch.capacity() == 0);
  } else {
    CHECK(scratch.capacity() <= 2 * largest);
  }
}

TEST_CASE("freed blocks are handed out for requests of their size, up to a size in all") {
  char blocks[4];
  detail::BlockCache cache;
  CHECK(cache.take(100) == nullptr);
  CHECK(cache.keep(&blocks[0], 100, 250));
  CHECK(cache.keep(&blocks[1], 150, 250));
  CHECK_FALSE(cache.keep(&blocks[2], 1, 250));
  CHECK_FALSE(cache.keep(&blocks[2], 251, 250));
  CHECK(cache.take(99) == nullptr);
  CHECK(cache.take(100) == &blocks[0]);
  CHECK(cache.take(100) == nullptr);
  CHECK(cache.keep(&blocks[2], 50, 250));
  CHECK(cache.keep(&blocks[3], 50, 250));
  std::size_t freed = 0, bytes = 0;
  cache.clear([&](void*, std::size_t size) {
    ++freed;
    bytes += size;
  });
  CHECK(freed == 3);
  CHECK(bytes == 250);
  CHECK(cache.take(150) == nullptr);
  CHECK(cache.keep(&blocks[0], 250, 250));
}

TEST_CASE("parallel loops visit every index once, for any number of threads") {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    const ThreadLimit limit(threads);
    for (const std::size_t n : {0u, 1u, 7u, 1000u}) {
      std::vector<std::atomic<int>> visits(n);
      parallel_chunks(par, n, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& count : visits) CHECK(count == 1);
    }
  }
}

TEST_CASE("a parallel sum is the same to the last bit for any number of threads") {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  const auto total = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    return parallel_sum(par, values.size(), 100, [&](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += values[i];
      return sum;
    });
  };
  const double alone = total(1);
  CHECK(alone == doctest::Approx(12.090146129863428));
  for (int run = 0; run < 20; ++run) {
    CHECK(total(2) == alone);
    CHECK(total(7) == alone);
  }
}

TEST_CASE("errors name the file, the line or the argument") {
  CHECK(std::string(DataError("a.csv", 3, "no number").what()) == "a.csv:3: no number");
  CHECK(std::string(DataError("a.csv", 0, "is empty").what()) == "a.csv: is empty");
  const ArgumentError of_k("k", "must be at least 1");
  CHECK(of_k.argument() == "k");
  CHECK(std::string(of_k.problem()) == "must be at least 1");
  CHECK_THROWS_WITH_AS(ThreadLimit(0), "threads: must be at least 1, not 0", ArgumentError);
}

TEST_CASE("loops treat denormal numbers as zero, without changing the calling thread") {
  volatile float tiny = 1e-39F;
  CHECK(tiny * 2 != 0);
  for (const std::size_t n : {1u, 100u}) {
    std::atomic<int> not_zero = 0;
    parallel_tasks(par, n, [&](std::size_t) {
      if (tiny * 2 != 0) ++not_zero;
    });
#if defined(__SSE2__) || defined(__aarch64__)
    CHECK(not_zero == 0);
#endif
  }
  CHECK(tiny * 2 != 0);
}
