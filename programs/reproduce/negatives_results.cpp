// SPDX-License-Identifier: BSD-3-Clause
#include "negatives_results.hpp"

#include <algorithm>
#include <cstddef>
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

/// A model of a cell.
struct Row {
  const char* initializer;
  const prism::Tuned& tuned;
  prism::Statistic epochs_to_equal_quality;
};

/// The rows of a cell; none if it is incomplete.
std::vector<Row> rows(const NegativesResult& result) {
  if (!result.complete() || result.xavier.runs.empty() || result.prism.runs.empty()) return {};
  const auto [xavier, prism] = epochs_to_equal_quality(result.xavier.runs, result.prism.runs);
  return {{"Xavier", result.xavier, xavier}, {"PRISM<1>", result.prism, prism}};
}

}  // namespace

std::string negatives_markdown(const Benchmark& benchmark,
                               const std::vector<NegativesResult>& cells) {
  std::ostringstream out;
  bool any = false;
  out << "| loss | initializer | hyperparameters | validation NDCG@20 | NDCG@20 | Recall@20 | "
         "NDCG@20 by cosine | best epoch | epochs to equal quality | seconds "
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
          << mean_text("%.0f", row.epochs_to_equal_quality) << " | "
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
         "ndcg_by_cosine,best_epoch,equal_quality_epoch,seconds_per_epoch\n";
  for (const NegativesResult& result : cells) {
    for (const Row& row : rows(result)) {
      const prism::Statistic ndcg = row.tuned.test(&prism::Report::ndcg);
      out << result.cell.benchmark.name() << ',' << result.cell.loss << ',' << row.initializer
          << ',' << csv_field(label(row.tuned.configuration)) << ',' << ndcg.count << ','
          << row.tuned.validation().mean << ',' << ndcg.mean << ',' << ndcg.deviation << ','
          << row.tuned.test(&prism::Report::recall).mean << ','
          << over(row.tuned.retrained, by_cosine).mean << ','
          << over(row.tuned.runs, best_epoch).mean << ',';
      if (row.epochs_to_equal_quality.count > 0) out << row.epochs_to_equal_quality.mean;
      out << ',' << over(row.tuned.runs, seconds_per_epoch).mean << '\n';
    }
  }
  return out.str();
}

}  // namespace reproduce
