// SPDX-License-Identifier: BSD-3-Clause
// A disk without space left.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace test {

/// During its lifetime, no file of this process can grow.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);  // so that write() fails instead
    ::rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  ::rlimit before_{};
  void (*handler_)(int) = nullptr;
};

}  // namespace test
