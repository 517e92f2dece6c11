// SPDX-License-Identifier: BSD-3-Clause
// The results of trials, as a file of JSON lines that outlives the program: a trial on record need
// not run again. Needs nlohmann-json.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/finite.hpp"
#include "prism/experiment/json.hpp"
#include "prism/experiment/trial.hpp"
#include "prism/training/history.hpp"

namespace prism::inline PRISM_ISA {

/// The progress and results of a trial.
struct TrialRecord {
  std::string key{};  ///< TrialSpec::key
  std::string model{};
  Configuration configuration{};
  std::uint64_t seed = 0;
  bool retraining = false;              ///< TrialSpec::retraining
  bool finished = false;                ///< whether its training is over
  std::string stop_reason{};            ///< "patience", "epochs", "diverged" ...
  std::string error{};                  ///< of a training that diverged
  std::vector<std::string> warnings{};  ///< History::warnings
  std::size_t epochs = 0;               ///< done
  std::size_t best_epoch = 0;
  std::optional<double> initial_validation{};  ///< History::initial_validation
  double validation = 0;                       ///< of the best epoch
  double seconds = 0;                          ///< of training and validation
  /// prism::instruction_set of the program that finished it; programs for other sets may round
  /// differently. Empty in records older than this field.
  std::string instruction_set{};
  std::vector<double> validations{};  ///< of each epoch; NaN if it is not validated
  /// EpochRecord::validation_by_cosine of each epoch, NaN likewise; none without
  /// FitOptions::validate_by_cosine.
  std::vector<double> validations_by_cosine{};
  std::vector<double> losses{};
  std::optional<double> chosen{};       ///< History::best_chosen
  std::optional<TrialReport> report{};  ///< once it is finished, without error
};

[[nodiscard]] inline Json to_json(const TrialRecord& record) {
  Json json{{"model", record.model},
            {"hyperparameters", to_json(record.configuration)},
            {"seed", record.seed},
            {"finished", record.finished},
            {"stop_reason", record.stop_reason},
            {"epochs", record.epochs},
            {"best_epoch", record.best_epoch},
            {"validation", record.validation},
            {"seconds", record.seconds}};
  if (!record.instruction_set.empty()) json["instruction_set"] = record.instruction_set;
  if (record.retraining) json["retraining"] = true;
  if (record.initial_validation) json["initial_validation"] = *record.initial_validation;
  if (!record.error.empty()) json["error"] = record.error;
  if (!record.warnings.empty()) json["warnings"] = record.warnings;
  if (record.report) json["test"] = to_json(*record.report);
  json["validations"] = record.validations;
  if (!record.validations_by_cosine.empty())
    json["validations_by_cosine"] = record.validations_by_cosine;
  json["losses"] = record.losses;
  if (record.chosen) json["chosen"] = *record.chosen;
  json["key"] = record.key;
  return json;
}

/// @throws nlohmann::json::exception  if something is missing
[[nodiscard]] inline TrialRecord trial_record_of(const Json& json) {
  TrialRecord record{.key = json.at("key"),
                     .model = json.at("model"),
                     .seed = json.at("seed"),
                     .retraining = json.value("retraining", false),
                     .finished = json.at("finished"),
                     .stop_reason = json.at("stop_reason"),
                     .error = json.value("error", std::string()),
                     .warnings = json.value("warnings", std::vector<std::string>()),
                     .epochs = json.at("epochs"),
                     .best_epoch = json.at("best_epoch"),
                     .validation = number_of(json.at("validation")),
                     .seconds = number_of(json.at("seconds")),
                     .instruction_set = json.value("instruction_set", std::string())};
  for (const Json& value : json.at("validations")) record.validations.push_back(number_of(value));
  if (json.contains("validations_by_cosine")) {
    for (const Json& value : json.at("validations_by_cosine")) {
      record.validations_by_cosine.push_back(number_of(value));
    }
  }
  for (const Json& value : json.at("losses")) record.losses.push_back(number_of(value));
  for (const auto& [name, value] : json.at("hyperparameters").items()) {
    record.configuration.push_back({name, value});
  }
  if (json.contains("initial_validation")) {
    record.initial_validation = number_of(json.at("initial_validation"));
  }
  if (json.contains("chosen")) record.chosen = number_of(json.at("chosen"));
  if (json.contains("test")) record.report = trial_report_of(json.at("test"));
  return record;
}

/// Whether a record has everything that a trial gives in `epochs` epochs.
[[nodiscard]] inline bool covers(const TrialRecord& record, const TrialSpec& spec,
                                 std::size_t epochs) {
  const bool has_cosines = record.validations_by_cosine.size() == record.validations.size();
  return (record.finished || record.epochs >= epochs) && (has_cosines || !spec.validates_by_cosine);
}

/// The history of a trial, as far as its record has it: without steps per epoch, the times of
/// epochs, NDCG beside the metric, why training stopped, and when warnings came.
[[nodiscard]] inline History history_of(const TrialRecord& record) {
  History history{.initial_validation = record.initial_validation,
                  .best_epoch = record.best_epoch,
                  .seconds = record.seconds,
                  .warnings = record.warnings,
                  .best_validation = record.validation,
                  .best_chosen = record.chosen};
  double best = record.initial_validation.value_or(-std::numeric_limits<double>::infinity());
  for (std::size_t e = 0; e < record.validations.size(); ++e) {
    history.epochs.push_back({.epoch = e + 1,
                              .loss = e < record.losses.size() ? record.losses[e] : 0,
                              .validated = detail::is_finite(record.validations[e])});
    EpochRecord& epoch = history.epochs.back();
    if (!epoch.validated) continue;
    epoch.validation = record.validations[e];
    epoch.best = epoch.validation > best;
    best = std::max(best, epoch.validation);
    if (e < record.validations_by_cosine.size()) {
      epoch.validation_by_cosine = record.validations_by_cosine[e];
    }
  }
  return history;
}

/// The latest record of each trial. Members are thread-safe.
class TrialRecords {
 public:
  /// In memory only.
  TrialRecords() = default;

  /// In a file with one record per line, which is read and then appended to. A last record that was
  /// cut off by a kill is dropped. Only one program can have the file open at a time.
  /// @throws DataError  if the file cannot be read or written, a line is not a record, or another
  ///     program has it open
  explicit TrialRecords(const std::filesystem::path& path) : path_(path) {
    file_ =
        detail::FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (!file_) fail(errno == ENOENT ? "its folder must exist" : "cannot be opened");
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail("cannot be locked");
      throw DataError(path.string(), 0, "is in use by another program");
    }
    const WholeRecords whole = read(path);
    if (::ftruncate(file_.get(), static_cast<::off_t>(whole.bytes)) != 0) fail("cannot be written");
    if (!whole.end_with_line) append("\n");
  }
  /// In memory only, with the records that a file has now; none if there is no file. Does not
  /// change the file, to which another program may be appending.
  /// @throws DataError  if the file cannot be read, or a line is not a record
  [[nodiscard]] static TrialRecords snapshot(const std::filesystem::path& path) {
    return {path, Snapshot{}};
  }
  TrialRecords(const TrialRecords&) = delete;
  TrialRecords& operator=(const TrialRecords&) = delete;

  [[nodiscard]] std::optional<TrialRecord> find(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = records_.find(key);
    return found == records_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Replaces the trial's previous record.
  /// @throws DataError  if the file cannot be written
  void add(const TrialRecord& record) {
    const std::lock_guard lock(mutex_);
    if (file_) {
      append(to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    records_[record.key] = record;
  }

  /// All records, ordered by key.
  [[nodiscard]] std::vector<TrialRecord> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<TrialRecord> list;
    for (const auto& [key, record] : records_) list.push_back(record);
    return list;
  }

  /// Empty if in memory only.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(path_.string(), 0, what + ": " + std::generic_category().message(errno));
  }

  void append(std::string_view line) {
    const ::off_t size = ::lseek(file_.get(), 0, SEEK_END);
    try {
      write(line);
    } catch (...) {
      if (::ftruncate(file_.get(), size) != 0)
        throw DataError(path_.string(), 0, "ends in an incomplete record");
      throw;
    }
  }

  void write(std::string_view line) {
    while (!line.empty()) {
      const ::ssize_t written = ::write(file_.get(), line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("cannot be written");
      line.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fdatasync(file_.get()) != 0 && errno != EINVAL) fail("cannot be written");
  }

  struct Snapshot {};
  TrialRecords(const std::filesystem::path& path, Snapshot) {
    std::error_code error;
    const bool exists = std::filesystem::exists(path, error);
    if (error) throw DataError(path.string(), 0, "cannot be read: " + error.message());
    if (exists) static_cast<void>(read(path));
  }

  /// The complete records of a file, without a last one that was cut off while being written.
  struct WholeRecords {
    std::uintmax_t bytes = 0;
    bool end_with_line = true;
  };

  [[nodiscard]] WholeRecords read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw DataError(path.string(), 0, "cannot be read");
    WholeRecords whole;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
      const bool has_end = !in.eof();
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) {  // left by an editor
        whole.bytes += line.size() + (has_end ? 1 : 0);
        whole.end_with_line = has_end;
        continue;
      }
      try {
        TrialRecord record = trial_record_of(Json::parse(line));
        records_[record.key] = std::move(record);
        whole.bytes += line.size() + (has_end ? 1 : 0);
        whole.end_with_line = has_end;
      } catch (const nlohmann::json::exception&) {
        // Text of some other file is not a record that was cut off.
        if (!has_end && line.starts_with(std::string_view("{\"model\"").substr(0, line.size()))) {
          break;
        }
        throw DataError(path.string(), number,
                        records_.empty()
                            ? "is not the record of a trial; if the file has no records of "
                              "trials, give another name"
                            : "is not the record of a trial; delete the line to run the "
                              "trial again");
      }
    }
    if (in.bad()) throw DataError(path.string(), 0, "cannot be read");
    return whole;
  }

  std::filesystem::path path_;
  detail::FileDescriptor file_;
  mutable std::mutex mutex_;
  std::map<std::string, TrialRecord> records_;
};

}  // namespace prism::inline PRISM_ISA
