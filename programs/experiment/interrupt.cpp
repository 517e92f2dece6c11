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
    int none = 0;
    caught.compare_exchange_strong(none, signal);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  };
  std::signal(SIGINT, receive);
  std::signal(SIGTERM, receive);
}

int caught_signal() noexcept { return caught; }

}  // namespace experiment
