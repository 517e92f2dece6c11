// SPDX-License-Identifier: BSD-3-Clause
// Runs elements, the paper's and others, or reads them from the records of earlier runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <prism/experiment/tune.hpp>
#include <set>
#include <string>
#include <vector>

#include "experiment/run.hpp"
#include "negatives.hpp"
#include "paper.hpp"

namespace reproduce {

/// The best candidates of a cell at one learning rate, with the first seed, by validation among
/// those trained to the end.
struct BestAtRate {
  double learning_rate;
  prism::TrialRecord decay, prism;
};

/// The tuned models of a cell of Table 1.
struct CellResult {
  Cell cell;
  std::size_t all_seeds;    // asked for
  std::size_t seeds = 0;    // how many of these, from the first, both models have finished
  std::string waits_for{};  // a transferred cell's source, until that is on record
  prism::Tuned decay{}, prism{};
  /// Magnitudes from popularity after training, if the cell has such a search.
  std::optional<prism::Tuned> after{};
  std::vector<BestAtRate> at_rates{};  // none if the learning rate is not searched
  [[nodiscard]] bool complete() const { return decay.complete && prism.complete; }
  /// Whether nothing is missing.
  [[nodiscard]] bool on_record() const {
    return complete() && (!after || after->complete) && seeds == all_seeds;
  }
  /// What is missing, if there is more to say than that the cell is incomplete.
  [[nodiscard]] std::string note() const;
};

/// The tuned models of a loss with many negatives, with one seed, tested after retraining.
struct NegativesResult {
  NegativesCell cell;
  prism::Tuned xavier, prism;
  [[nodiscard]] bool complete() const { return xavier.complete && prism.complete; }
  [[nodiscard]] bool on_record() const { return complete(); }
  [[nodiscard]] std::string note() const { return ""; }
};

/// One value of a series' parameter; NaN if it has none.
struct SeriesPoint {
  double value;
  std::vector<prism::TrialRecord> runs{};  // one per seed
};
struct SeriesResult {
  Series series;
  std::vector<SeriesPoint> points{};
  /// Whether each point has a run, though perhaps not with each seed.
  [[nodiscard]] bool shows_all() const;
};
struct FigureResult {
  Figure figure;
  std::vector<SeriesResult> series{};
  std::size_t done = 0, total = 0;  // trials
  /// Whether each point of each series has a run.
  [[nodiscard]] bool shows_all() const;
};

/// A model, and lists of hyperparameters to choose among.
struct Search {
  experiment::Settings settings;
  experiment::ModelChoice model;
};

/// Each also draws a split.
[[nodiscard]] inline std::vector<std::uint64_t> all_seeds() { return {123, 246, 492}; }

struct RunnerOptions {
  std::filesystem::path data;     // folder with a folder for each data set
  std::filesystem::path records;  // JSON lines
  std::vector<std::uint64_t> seeds = all_seeds();
  /// For successive halving, in place of each cell's own number; 0: no halving.
  std::optional<std::size_t> first_epochs{};
  prism::QueueOptions queue{};  // read_only: the file of records need not exist
  std::string device = "host";  // experiment::Settings::device
};

class Runner {
 public:
  explicit Runner(RunnerOptions options);

  /// Whether the data set's file exists, or is not needed, and no check() has found it unreadable.
  [[nodiscard]] bool has(const DataSet& data) const;
  [[nodiscard]] std::filesystem::path file(const DataSet& data) const;
  /// Reads the data set.
  /// @throws prism::DataError  if it cannot be read
  void check(const DataSet& data);
  /// @throws prism::DataError  if the data set's file does not say which lines are the test set
  void check(const Benchmark& benchmark);

  /// Runs what is missing. If time runs out, returns what is on record; a cell then has the seeds
  /// that both of its models have. A transferred cell runs once its source is on record.
  [[nodiscard]] CellResult run(const Cell& cell);
  [[nodiscard]] NegativesResult run(const NegativesCell& cell);
  [[nodiscard]] FigureResult run(const Figure& figure, const DataSet& data);

  /// From here on runs nothing: results are those on record with these seeds.
  void only_read(std::vector<std::uint64_t> seeds);
  [[nodiscard]] const RunnerOptions& options() const noexcept { return options_; }

 private:
  const prism::TrialData& split(const experiment::Settings& settings, const DataSet& data,
                                std::uint64_t seed);
  [[nodiscard]] std::vector<prism::Candidate> candidates(const experiment::Settings& settings,
                                                         const experiment::ModelChoice& model,
                                                         const DataSet& data,
                                                         const std::string& group);

  /// Chooses among the combinations of each search.
  [[nodiscard]] std::vector<prism::Tuned> tuned(const std::vector<Search>& searches,
                                                const DataSet& data,
                                                const std::vector<std::uint64_t>& seeds,
                                                const prism::QueueOptions& queue);
  /// The best candidate at a learning rate; none if no candidate is on record to its end.
  [[nodiscard]] std::optional<prism::TrialRecord> best_at(const Search& search, const DataSet& data,
                                                          double rate);
  /// A cell; once time has run out, with as many of the seeds as are on record.
  /// @param searches  one with decay, one with PRISM, perhaps one after training
  [[nodiscard]] CellResult run(const Cell& cell, const std::vector<Search>& searches,
                               std::vector<std::uint64_t> seeds, const prism::QueueOptions& queue);

  RunnerOptions options_;
  prism::TrialRecords records_;
  std::set<std::string> unreadable_;                // data sets
  std::map<std::string, prism::TrialData> splits_;  // by data set, parts and seed
};

}  // namespace reproduce
