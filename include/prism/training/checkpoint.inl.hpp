// SPDX-License-Identifier: BSD-3-Clause
// Functions that checkpoint.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/best_weights.hpp"
#include "prism/training/checkpoint.hpp"
#include "prism/training/history.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE void write_progress(BinaryWriter& out, const RunProgress& progress) {
  const auto count = [&](std::size_t value) { out.number(std::uint64_t{value}); };
  const auto flag = [&](bool value) { out.number(static_cast<std::uint8_t>(value)); };
  const auto optional = [&](const std::optional<double>& value) {
    flag(value.has_value());
    out.number(value.value_or(0));
  };
  const History& history = progress.history;
  count(history.epochs.size());
  for (const EpochRecord& record : history.epochs) {
    count(record.epoch);
    for (const double value : {record.loss, record.validation_ndcg, record.validation,
                               record.train_seconds, record.validate_seconds}) {
      out.number(value);
    }
    optional(record.validation_by_cosine);
    optional(record.chosen);
    flag(record.best);
    flag(record.validated);
  }
  count(history.steps_per_epoch);
  out.number(history.learning_rate);
  optional(history.initial_validation);
  count(history.best_epoch);
  out.number(history.best_validation_ndcg);
  out.number(history.best_validation);
  optional(history.best_chosen);
  out.number(history.seconds);
  out.number(static_cast<std::uint8_t>(history.stop_reason));
  for (const auto* warnings : {&history.warnings, &progress.start_warnings}) {
    count(warnings->size());
    for (const std::string& warning : *warnings) out.text(warning);
  }
  count(progress.pairs_done);
  out.number(progress.loss_sum);
  out.number(progress.epoch_seconds);
  count(progress.patience_from);
  optional(progress.first_choice);
  flag(progress.has_best);
}

PRISM_INLINE RunProgress read_progress(BinaryReader& in) {
  const auto count = [&] { return std::size_t{in.number<std::uint64_t>()}; };
  const auto flag = [&] {
    const auto value = in.number<std::uint8_t>();
    if (value > 1) in.fail("has a boolean that is neither 0 nor 1");
    return value == 1;
  };
  const auto optional = [&]() -> std::optional<double> {
    const bool present = flag();
    const auto value = in.number<double>();
    return present ? std::optional(value) : std::nullopt;
  };
  RunProgress progress;
  History& history = progress.history;
  // Read one by one, so that a count beyond the file's end fails before it takes memory.
  for (std::size_t left = count(); left > 0; --left) {
    EpochRecord record{.epoch = count()};
    if (record.epoch != history.epochs.size() + 1) in.fail("has epochs out of order");
    for (double* value : {&record.loss, &record.validation_ndcg, &record.validation,
                          &record.train_seconds, &record.validate_seconds}) {
      *value = in.number<double>();
    }
    record.validation_by_cosine = optional();
    record.chosen = optional();
    record.best = flag();
    record.validated = flag();
    history.epochs.push_back(record);
  }
  history.steps_per_epoch = count();
  history.learning_rate = in.number<double>();
  history.initial_validation = optional();
  history.best_epoch = count();
  if (history.best_epoch > history.epochs.size()) in.fail("has a best epoch after the last epoch");
  history.best_validation_ndcg = in.number<double>();
  history.best_validation = in.number<double>();
  history.best_chosen = optional();
  history.seconds = in.number<double>();
  const auto reason = in.number<std::uint8_t>();
  if (reason > static_cast<std::uint8_t>(StopReason::diverged)) {
    in.fail("has an unknown stop reason");
  }
  history.stop_reason = static_cast<StopReason>(reason);
  for (auto* warnings : {&history.warnings, &progress.start_warnings}) {
    for (std::size_t left = count(); left > 0; --left) warnings->push_back(in.text());
  }
  progress.pairs_done = count();
  progress.loss_sum = in.number<double>();
  progress.epoch_seconds = in.number<double>();
  progress.patience_from = count();
  progress.first_choice = optional();
  progress.has_best = flag();
  return progress;
}

PRISM_INLINE void check_position(const std::filesystem::path& path, const RunProgress& progress,
                                 std::uint64_t steps, const EpochShape& epoch) {
  const std::size_t done = progress.pairs_done;
  if (progress.history.steps_per_epoch != epoch.steps_per_epoch || done > epoch.pairs ||
      (done % epoch.batch_size != 0 && done != epoch.pairs)) {
    throw DataError(path.string(), 0, "has a position that is not at the end of a batch");
  }
  const std::size_t batches = done / epoch.batch_size + (done % epoch.batch_size > 0);
  if (steps != progress.history.epochs.size() * epoch.steps_per_epoch + batches) {
    throw DataError(path.string(), 0, "has a number of steps that does not match its epochs");
  }
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
