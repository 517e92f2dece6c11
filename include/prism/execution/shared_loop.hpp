// SPDX-License-Identifier: BSD-3-Clause
// A loop shared by oneTBB threads. Its tasks are handed out one at a time to any running thread,
// and the caller sleeps while other threads finish the last ones: if another program keeps a core
// busy, a thread that was preempted in the middle of a task then continues on the caller's core. A
// tbb::parallel_for over the tasks themselves would busy-wait for some time. While the caller
// sleeps, it does not help with a loop inside a task: the library has no such loops.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "prism/core/config.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A type-erased loop body. The tasks are coarse, so an indirect call has no measurable cost, while
/// a loop for each body would double a model's code.
struct TaskRange {
  const void* body;
  void (*call)(const void* body, std::size_t begin, std::size_t end);
};

class SharedLoop {
 public:
  /// @param threads  at most the number of tasks
  SharedLoop(std::size_t tasks, const TaskRange& range, std::size_t threads)
      : range_(range), parts_(threads) {
    for (std::size_t k = 0; k < threads; ++k) {
      parts_[k].next = tasks * k / threads;
      parts_[k].end = tasks * (k + 1) / threads;
    }
  }

  /// Returns when all tasks have ended. @throws whatever one of them threw
  void run() {
    // By default the loop would belong to the caller's own oneTBB work, if any, and be skipped
    // without an error once that is cancelled.
    tbb::task_group_context context(tbb::task_group_context::isolated);
    // The caller begins with the first part; threads that come too late find nothing to do.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, parts_.size(), 1),
        [this](const tbb::blocked_range<std::size_t>& range) {
          range.begin() == 0 ? lead() : help(range.begin());
        },
        tbb::simple_partitioner(), context);
    if (failed_) std::rethrow_exception(error_);
  }

 private:
  /// Neighbouring tasks, which read neighbouring memory.
  struct alignas(64) Part {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  // All atomics are sequentially consistent: a helper that increments working_ after the leader has
  // seen 0 finds no task.

  void lead() noexcept {
    work(0);
    // About ten microseconds on x86, within which most waits end; less where a pause is shorter.
    constexpr int attempts = 2000;
    for (int n = 0; n < attempts && working_ != 0; ++n) pause();
    for (std::uint32_t others; (others = working_) != 0;) working_.wait(others);
  }

  void help(std::size_t part) noexcept {
    ++working_;
    work(part);
    if (--working_ == 0) working_.notify_one();
  }

  /// Runs the tasks of a part, then the remaining tasks of the other parts.
  void work(std::size_t part) noexcept {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& from = parts_[(part + k) % parts_.size()];
      for (std::size_t i; (i = from.next++) < from.end;) {
        if (failed_) continue;
        try {
          range_.call(range_.body, i, i + 1);
        } catch (...) {
          if (!failed_.exchange(true)) error_ = std::current_exception();
        }
      }
    }
  }

  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const TaskRange range_;
  std::vector<Part> parts_;
  std::atomic<std::uint32_t> working_{0};  // helpers
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

/// @param n      at least 1
/// @param limit  of the threads; 0: none
inline void run_tasks(std::size_t n, const TaskRange& range, std::size_t limit) {
  const auto available =
      std::min(static_cast<std::size_t>(std::max(tbb::this_task_arena::max_concurrency(), 1)),
               tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  const std::size_t threads = limit == 0 ? available : std::min(available, limit);
  if (n == 1 || threads == 1) {
    range.call(range.body, 0, n);
  } else {
    SharedLoop(n, range, std::min(n, threads)).run();
  }
}

}  // namespace prism::inline PRISM_ISA::detail
