// SPDX-License-Identifier: BSD-3-Clause
// Who watches fit. An observer has any of these members, and fit calls those it has:
//   void begin(const FitPlan&);  or  void begin(const FitPlan&, const Model&);
//   void batch(const BatchProgress&);
//   void epoch(const EpochRecord&, const Model&);
//   void end(const History&);
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <ostream>
#include <string>

#include "prism/core/config.hpp"
#include "prism/train/history.hpp"

namespace prism::inline PRISM_ISA {

/// What fit is about to do.
struct FitPlan {
  std::string model;   ///< the policies' names
  std::size_t pairs;   ///< training interactions
  std::size_t epochs;  ///< at most
  std::size_t k;       ///< of the validation's NDCG@k
  bool validated;      ///< whether there is a validation part
  double learning_rate;
  std::size_t batch_size;  ///< pairs a step
};

/// How far an epoch is.
struct BatchProgress {
  std::size_t epoch;     ///< from 1
  std::size_t pairs;     ///< done
  std::size_t of_pairs;  ///< in all
  double seconds;        ///< since the epoch began
};

/// Watches and says nothing.
struct Silent {};

/// Shows how training goes: on a terminal a bar with rate and time left, elsewhere a line an epoch.
class Progress {
 public:
  enum class Style { bar, lines };

  /// To the standard error stream, in the style that suits it.
  Progress() : Progress(std::cerr, ::isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines) {}
  Progress(std::ostream& out, Style style) : out_(&out), style_(style) {}

  void begin(const FitPlan& plan) {
    plan_ = plan;
    *out_ << plan.model << ": " << plan.pairs << " pairs" << std::endl;
  }

  void batch(const BatchProgress& progress) {
    if (style_ == Style::lines) return;
    const bool finished = progress.pairs == progress.of_pairs;
    if (!finished && progress.seconds - shown_ < refresh_seconds && progress.seconds > shown_) {
      return;
    }
    shown_ = finished ? 0 : progress.seconds;
    const double done = static_cast<double>(progress.pairs);
    const double share = done / static_cast<double>(progress.of_pairs);
    const double rate = done / std::max(progress.seconds, 1e-9);
    constexpr std::size_t width = 24;
    const auto filled = static_cast<std::size_t>(share * width);
    const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
    char line[160];
    std::snprintf(line, sizeof line, "\repoch %zu [%s] %3.0f%%  %.0fk pairs/s  %.0f s left%s",
                  progress.epoch, bar.c_str(), 100 * share, rate / 1e3,
                  progress.seconds * (1 / share - 1), erase_to_end);
    *out_ << line << std::flush;
  }

  template <class Model>
  void epoch(const EpochRecord& record, const Model&) {
    char line[160];
    std::snprintf(line, sizeof line, "epoch %zu  loss %.5f", record.epoch, record.loss);
    *out_ << (style_ == Style::bar ? "\r" : "") << line;
    if (plan_.validated) {
      std::snprintf(line, sizeof line, "  NDCG@%zu %.5f%s", plan_.k, record.validation_ndcg,
                    record.best ? " *" : "");
      *out_ << line;
    }
    std::snprintf(line, sizeof line, "  %.2f s", record.train_seconds + record.validate_seconds);
    *out_ << line << (style_ == Style::bar ? erase_to_end : "\n") << std::flush;
  }

  void end(const History& history) {
    char line[160];
    std::snprintf(line, sizeof line, "best epoch %zu of %zu, %.1f s", history.best_epoch,
                  history.epochs.size(), history.seconds);
    *out_ << (style_ == Style::bar ? "\r" : "") << line
          << (style_ == Style::bar ? erase_to_end : "") << std::endl;
  }

 private:
  static constexpr double refresh_seconds = 0.1;
  static constexpr const char* erase_to_end = "\033[K";

  std::ostream* out_;
  Style style_;
  FitPlan plan_{};
  double shown_ = 0;
};

}  // namespace prism::inline PRISM_ISA
