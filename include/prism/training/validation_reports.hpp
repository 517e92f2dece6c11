// SPDX-License-Identifier: BSD-3-Clause
// The reports of a validation, and how a history records them.
#pragma once

#include <optional>

#include "prism/core/config.hpp"
#include "prism/evaluate/report.hpp"
#include "prism/training/history.hpp"
#include "prism/training/metric.hpp"

namespace prism::inline PRISM_ISA::detail {

/// How a validation searches for the ranking's alpha or power, if it chooses one.
enum class ChoiceSearch {
  nearby,  ///< from the last choice on
  all,     ///< all values
};

struct ValidationReports {
  Report by_dot;
  std::optional<Report> by_cosine{};
  std::optional<double> chosen{};  ///< the alpha or power that by_dot is ranked with
};

/// Sets the results of a validation in a record, except validation_by_cosine.
inline void set_validation(EpochRecord& record, const ValidationReports& reports,
                           const Metric& metric) {
  record.validation = metric(reports.by_dot);
  record.validation_ndcg = reports.by_dot.ndcg;
  record.chosen = reports.chosen;
}

/// Makes an epoch the best.
inline void set_best(History& history, const EpochRecord& record) {
  history.best_epoch = record.epoch;
  history.best_validation_ndcg = record.validation_ndcg;
  history.best_validation = record.validation;
  history.best_chosen = record.chosen;
}

/// The choice of the last validation, before the first epoch or after one; unset if there is none.
[[nodiscard]] inline std::optional<double> last_chosen(const History& history) {
  for (auto record = history.epochs.rbegin(); record != history.epochs.rend(); ++record) {
    if (record->chosen) return record->chosen;
  }
  return history.best_chosen;
}

}  // namespace prism::inline PRISM_ISA::detail
