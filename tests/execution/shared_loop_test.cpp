// SPDX-License-Identifier: BSD-3-Clause
// Loops shared by threads: every task runs once; nested loops; leaving a loop by an exception.
#include <doctest/doctest.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <prism/core/parallel.hpp>
#include <prism/execution/host.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace prism;

namespace {

/// Runs on several threads even where there is one core.
template <class Body>
void on_threads(int threads, const Body& body) {
  const ThreadLimit limit(static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute(body);
}

}  // namespace

TEST_CASE("each task is done once, and before the loop ends") {
  for (const int threads : {1, 2, 3, 8}) {
    on_threads(threads, [] {
      for (std::size_t n = 0; n < 200; ++n) {
        std::vector<int> done(n);
        parallel_tasks(par, n, [&](std::size_t i) { ++done[i]; });
        REQUIRE(std::ranges::all_of(done, [](int times) { return times == 1; }));
      }
    });
  }
}

TEST_CASE("the caller sleeps until tasks of other threads have ended") {
  on_threads(4, [] {
    const auto caller = std::this_thread::get_id();
    std::size_t elsewhere = 0;
    for (int attempt = 0; attempt < 200 && elsewhere < 20; ++attempt) {
      std::atomic<std::size_t> ended{0}, of_others{0};
      parallel_tasks(par, 8, [&](std::size_t) {
        const bool other = std::this_thread::get_id() != caller;
        std::this_thread::sleep_for(std::chrono::milliseconds(other ? 3 : 1));
        of_others += other;
        ++ended;
      });
      REQUIRE(ended == 8);
      elsewhere += of_others;
    }
    CHECK(elsewhere > 0);
  });
}

TEST_CASE("a task may run a loop itself") {
  on_threads(4, [] {
    std::vector<std::vector<int>> done(20, std::vector<int>(30));
    for (int times = 1; times <= 50; ++times) {
      parallel_tasks(par, done.size(), [&](std::size_t i) {
        parallel_tasks(par, done[i].size(), [&](std::size_t j) { ++done[i][j]; });
      });
    }
    for (const std::vector<int>& row : done) {
      CHECK(std::ranges::all_of(row, [](int times) { return times == 50; }));
    }
  });
}

TEST_CASE("inside oneTBB work that was cancelled, a loop does all of its tasks") {
  on_threads(4, [] {
    std::atomic<int> done{0};
    tbb::task_group group;
    group.run([&] {
      group.cancel();
      parallel_tasks(par, 30, [&](std::size_t) { ++done; });
    });
    CHECK(group.wait() == tbb::task_group_status::canceled);
    CHECK(done == 30);
  });
}

TEST_CASE("what a task throws reaches the caller, when no other task runs any more") {
  for (const int threads : {1, 4}) {
    on_threads(threads, [] {
      for (std::size_t failing = 0; failing < 60; ++failing) {
        std::atomic<int> running{0};
        const auto loop = [&] {
          parallel_tasks(par, 60, [&](std::size_t i) {
            ++running;
            struct Ends {
              std::atomic<int>& running;
              ~Ends() { --running; }
            } const ends{running};
            if (i == failing) throw std::runtime_error("task " + std::to_string(i));
            std::this_thread::yield();
          });
        };
        CHECK_THROWS_WITH_AS(loop(), ("task " + std::to_string(failing)).c_str(),
                             std::runtime_error);
        CHECK(running == 0);
      }
    });
  }
}

TEST_CASE("threads of the caller's own run loops beside each other") {
  std::atomic<std::size_t> sum{0};
  std::vector<std::jthread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&] {
      for (int times = 0; times < 100; ++times) {
        parallel_tasks(par, 50, [&](std::size_t i) { sum += i; });
      }
    });
  }
  callers.clear();
  CHECK(sum == 4u * 100 * (49 * 50 / 2));
}

TEST_CASE("an execution's limit of threads holds for its loops, and changes no result") {
  on_threads(8, [] {
    for (const std::size_t limit : {1u, 2u, 3u}) {
      std::atomic<std::size_t> running{0}, most{0};
      for (int attempt = 0; attempt < 20; ++attempt) {
        parallel_tasks(threads(limit), 16, [&](std::size_t) {
          const std::size_t now = ++running;
          for (std::size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(std::chrono::microseconds(200));
          --running;
        });
      }
      CHECK(most >= 1);
      CHECK(most <= limit);
    }
  });
  const auto sum = [](const Host<>& exec) {
    return parallel_sum(exec, 1000, 7, [](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t k = begin; k < end; ++k) total += 1.0 / static_cast<double>(k + 1);
      return total;
    });
  };
  CHECK(sum(threads(1)) == sum(par));
  CHECK(sum(threads(3)) == sum(par));
  CHECK(threads(0).threads == par.threads);
}
