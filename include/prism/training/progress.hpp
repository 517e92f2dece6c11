// SPDX-License-Identifier: BSD-3-Clause
// The default observer of fit, which shows the progress of training.
#pragma once

#include <unistd.h>

#include <iostream>
#include <ostream>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// "0.250" for 0.25 and 3 decimals.
[[nodiscard]] PRISM_INLINE std::string with_decimals(double number, int decimals);

}  // namespace detail

/// Shows the progress of training: on a terminal a bar with pairs per second and time left,
/// elsewhere a line per epoch.
class Progress {
 public:
  enum class Style { bar, lines };

  /// To the standard error stream, in the style that suits it.
  Progress() : Progress(std::cerr, ::isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines) {}
  Progress(std::ostream& out, Style style) : out_(&out), style_(style) {}

  void begin(const FitInfo& info) {
    info_ = info;
    *out_ << info.model << ": " << std::to_string(info.pairs) << " pairs" << std::endl;
    for (const std::string& warning : info.warnings) warn(warning);
  }

  void batch(const EpochProgress& progress);

  void epoch(const EpochRecord& record);

  void end(const History& history);

 private:
  static constexpr double refresh_seconds = 0.1;
  static constexpr const char* erase_to_end = "\033[K";

  void warn(const std::string& warning) { *out_ << "warning: " << warning << std::endl; }
  std::ostream& begin_line() { return *out_ << (style_ == Style::bar ? "\r" : ""); }

  std::ostream* out_;
  Style style_;
  FitInfo info_{};
  double last_refresh_ = 0;
};

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/training/progress.inl.hpp"
#endif
