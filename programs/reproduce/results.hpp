// SPDX-License-Identifier: BSD-3-Clause
// Results as CSV, pictures and one document.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner.hpp"

namespace reproduce {

/// Statistic of a number over the runs with a report: all except those that diverged.
template <class Number>
[[nodiscard]] prism::Statistic over(const std::vector<prism::TrialRecord>& runs,
                                    const Number& number) {
  std::vector<double> numbers;
  for (const prism::TrialRecord& run : runs) {
    if (run.report) numbers.push_back(number(run));
  }
  return prism::statistic(numbers);
}

[[nodiscard]] inline double ndcg(const prism::TrialRecord& run) { return run.report->dot.ndcg; }
[[nodiscard]] inline double best_epoch(const prism::TrialRecord& run) {
  return static_cast<double>(run.best_epoch);
}
[[nodiscard]] inline double by_cosine(const prism::TrialRecord& run) {
  return run.report->cosine.ndcg;
}

/// The ratio of what hits among unpopular and popular items contribute to NDCG; 0 if no popular
/// item is hit.
[[nodiscard]] inline double unpopular_to_popular(const prism::TrialRecord& run) {
  const auto& strata = run.report->dot.ndcg_by_stratum;
  return strata[0] > 0 ? strata[2] / strata[0] : 0;
}

/// Epochs until the validation of two models reaches the lower of their two best ones.
struct EpochsToEqualQuality {
  prism::Statistic first, second;
};
/// Over the seeds with which neither diverged; runs of the same seed have the same place.
[[nodiscard]] EpochsToEqualQuality epochs_to_equal_quality(
    const std::vector<prism::TrialRecord>& first, const std::vector<prism::TrialRecord>& second);

/// How our value compares with the paper's: within the spread of seeds, better or worse, and by how
/// much.
[[nodiscard]] std::string verdict(const prism::Statistic& ours, std::optional<double> paper);

/// Table 1 as Markdown and CSV, without incomplete cells.
[[nodiscard]] std::string table1_markdown(const std::vector<CellResult>& cells);
[[nodiscard]] std::string table1_csv(const std::vector<CellResult>& cells);

/// Magnitudes from popularity after training beside decay and PRISM, as Markdown; empty if no cell
/// has them.
[[nodiscard]] std::string after_training_markdown(const std::vector<CellResult>& cells);

/// Decay and PRISM at the same learning rate, as Markdown; empty if no learning rate was searched.
[[nodiscard]] std::string rates_markdown(const std::vector<CellResult>& cells);

/// A figure's numbers as CSV, and as a Markdown table.
[[nodiscard]] std::string figure_csv(const FigureResult& result);
[[nodiscard]] std::string figure_markdown(const FigureResult& result);

/// Draws NAME.svg, with "-" in place of "/", into a folder.
/// @return whether there was anything to draw
/// @throws prism::DataError  if gnuplot is missing or fails
bool draw(const FigureResult& result, const std::filesystem::path& folder);

/// The theorem's expected change of a squared magnitude, over popularity and weight decay, for the
/// paper's cosine of 0.9.
void draw_theorem(const std::filesystem::path& folder);

/// "decay-gowalla" for "decay/gowalla"
[[nodiscard]] std::string file_name(const std::string& element);

}  // namespace reproduce
