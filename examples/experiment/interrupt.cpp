// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <atomic>
#include <csignal>

namespace experiment {

namespace {

std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

void catch_signals() {
  const auto receive = [](int signal) {
    caught = signal;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, receive);
  std::signal(SIGTERM, receive);
}

int caught_signal() noexcept { return caught; }

}  // namespace experiment
