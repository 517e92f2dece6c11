// SPDX-License-Identifier: BSD-3-Clause
#include "negatives_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <vector>

#include "format.hpp"
#include "results.hpp"

namespace reproduce {

namespace {

/// Including validation.
double seconds_per_epoch(const prism::TrialRecord& run) {
  return run.seconds / static_cast<double>(std::max<std::size_t>(run.epochs, 1));
}

/// The first epoch whose validation exceeds the other model's best, as the mean over seeds with
/// which neither diverged; NaN if with one of them none does.
double epochs_to_pass(const prism::Tuned& tuned, const prism::Tuned& other) {
  std::vector<double> epochs;
  for (std::size_t s = 0; s < tuned.runs.size(); ++s) {
    if (!tuned.runs[s].report || !other.runs[s].report) continue;
    const std::vector<double>& validations = tuned.runs[s].validations;
    const auto passing = std::ranges::find_if(
        validations, [&](double each) { return each > other.runs[s].validation; });
    if (passing == validations.end()) return std::numeric_limits<double>::quiet_NaN();
    epochs.push_back(static_cast<double>(passing - validations.begin() + 1));
  }
  return epochs.empty() ? std::numeric_limits<double>::quiet_NaN() : prism::statistic(epochs).mean;
}

/// A model of a cell.
struct Row {
  const char* initializer;
  const prism::Tuned& tuned;
  double passes;  // the other model's best, after this many epochs
};

/// The rows of a cell; none if it is incomplete.
std::vector<Row> rows(const NegativesResult& result) {
  if (!result.complete() || result.xavier.runs.empty() || result.prism.runs.empty()) return {};
  return {{"Xavier", result.xavier, epochs_to_pass(result.xavier, result.prism)},
          {"PRISM<1>", result.prism, epochs_to_pass(result.prism, result.xavier)}};
}

}  // namespace

std::string negatives_markdown(const Benchmark& benchmark,
                               const std::vector<NegativesResult>& cells) {
  std::ostringstream out;
  bool any = false;
  out << "| loss | initializer | hyperparameters | validation NDCG@20 | NDCG@20 | Recall@20 | "
         "NDCG@20 by cosine | best epoch | passes the other's best validation in epoch | seconds "
         "per epoch |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const NegativesResult& result : cells) {
    if (result.cell.benchmark.name() != benchmark.name()) continue;
    for (const Row& row : rows(result)) {
      any = true;
      const std::vector<prism::TrialRecord>& runs = row.tuned.runs;
      out << "| " << result.cell.loss << " | " << row.initializer << " | "
          << label(row.tuned.configuration) << " | " << mean_text("%.4f", row.tuned.validation())
          << " | " << with_spread(row.tuned.test(&prism::Report::ndcg)) << diverged_text(runs)
          << diverged_text(row.tuned.retrained) << " | "
          << with_spread(row.tuned.test(&prism::Report::recall)) << " | "
          << mean_text("%.4f", over(row.tuned.retrained, by_cosine)) << " | "
          << mean_text("%.0f", over(runs, best_epoch)) << " | "
          << (std::isnan(row.passes) ? "" : number("%.0f", row.passes)) << " | "
          << mean_text("%.1f", over(runs, seconds_per_epoch)) << " |\n";
    }
  }
  if (!any) return "";
  for (const PublishedModel& model : published_models()) {
    if (model.benchmark != benchmark.name()) continue;
    out << "| published: " << model.model << " | | | | " << number("%.4f", model.ndcg) << " | "
        << (model.recall ? number("%.4f", *model.recall) : "") << " | | | | |\n";
  }
  return out.str();
}

std::string negatives_csv(const std::vector<NegativesResult>& cells) {
  std::ostringstream out;
  out.precision(9);
  out << "benchmark,loss,initializer,hyperparameters,seeds,validation,ndcg,ndcg_deviation,recall,"
         "ndcg_by_cosine,best_epoch,passes_other_in_epoch,seconds_per_epoch\n";
  for (const NegativesResult& result : cells) {
    for (const Row& row : rows(result)) {
      const prism::Statistic ndcg = row.tuned.test(&prism::Report::ndcg);
      out << result.cell.benchmark.name() << ',' << result.cell.loss << ',' << row.initializer
          << ',' << csv_field(label(row.tuned.configuration)) << ',' << ndcg.count << ','
          << row.tuned.validation().mean << ',' << ndcg.mean << ',' << ndcg.deviation << ','
          << row.tuned.test(&prism::Report::recall).mean << ','
          << over(row.tuned.retrained, by_cosine).mean << ','
          << over(row.tuned.runs, best_epoch).mean << ',';
      if (!std::isnan(row.passes)) out << row.passes;
      out << ',' << over(row.tuned.runs, seconds_per_epoch).mean << '\n';
    }
  }
  return out.str();
}

}  // namespace reproduce
