// SPDX-License-Identifier: BSD-3-Clause
// Functions that progress.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iomanip>
#include <string>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"
#include "prism/training/progress.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::string with_decimals(double number, int decimals) {
  char digits[400];  // the largest double has 309 before the point
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed,
                                 std::min(decimals, 64))
                       .ptr;
  return {digits, end};
}

}  // namespace detail

PRISM_INLINE void Progress::batch(const EpochProgress& progress) {
  if (style_ == Style::lines) return;
  const bool finished = progress.pairs == progress.total_pairs;
  if (!finished && progress.seconds - last_refresh_ < refresh_seconds &&
      progress.seconds > last_refresh_) {
    return;
  }
  last_refresh_ = finished ? 0 : progress.seconds;
  const double done = static_cast<double>(progress.pairs);
  const double fraction = done / static_cast<double>(progress.total_pairs);
  const double rate = done / std::max(progress.seconds, 1e-9);
  constexpr std::size_t width = 24;
  const auto filled = static_cast<std::size_t>(fraction * width);
  *out_ << "\repoch " << std::to_string(progress.epoch) << " [" << std::string(filled, '#')
        << std::string(width - filled, '.') << "] " << std::setw(3)
        << detail::with_decimals(100 * fraction, 0) << "%  " << detail::with_decimals(rate / 1e3, 0)
        << "k pairs/s  " << detail::with_decimals(progress.seconds * (1 / fraction - 1), 0)
        << " s left" << erase_to_end << std::flush;
}

PRISM_INLINE void Progress::epoch(const EpochRecord& record) {
  begin_line() << "epoch " << std::to_string(record.epoch) << "  loss "
               << detail::with_decimals(record.loss, 5);
  if (info_.has_validation && record.validated) {
    // A record made by hand may have NDCG alone.
    const bool ndcg = info_.metric == FitInfo{}.metric;
    *out_ << "  " << info_.metric << '@' << std::to_string(info_.k) << ' '
          << detail::with_decimals(ndcg ? record.validation_ndcg : record.validation, 5)
          << (record.best ? " *" : "");
    if (record.validation_by_cosine) {
      *out_ << "  by cosine " << detail::with_decimals(*record.validation_by_cosine, 5);
    }
    if (record.chosen) *out_ << "  ranked with " << format_number(*record.chosen);
  }
  *out_ << "  " << detail::with_decimals(record.train_seconds + record.validate_seconds, 2) << " s"
        << (style_ == Style::bar ? erase_to_end : "\n") << std::flush;
}

PRISM_INLINE void Progress::end(const History& history) {
  begin_line() << "best epoch " << std::to_string(history.best_epoch) << " of "
               << std::to_string(history.epochs.size()) << ", "
               << (history.best_chosen ? "ranked with " + format_number(*history.best_chosen) + ", "
                                       : "")
               << detail::with_decimals(history.seconds, 1) << " s"
               << (style_ == Style::bar ? erase_to_end : "") << std::endl;
  for (const std::string& warning : history.warnings) {
    if (std::ranges::count(info_.warnings, warning) == 0) warn(warning);  // else shown already
  }
}

}  // namespace prism::inline PRISM_ISA
