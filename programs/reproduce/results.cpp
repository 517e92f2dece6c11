// SPDX-License-Identifier: BSD-3-Clause
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "format.hpp"

namespace reproduce {

namespace {

auto stratum(std::size_t s) {
  return [s](const prism::TrialRecord& run) { return run.report->dot.ndcg_by_stratum[s]; };
}

std::string strata_text(const std::vector<prism::TrialRecord>& runs) {
  if (over(runs, ndcg).count == 0) return "";
  std::string text;
  for (std::size_t s = 0; s < 3; ++s) {
    text += (s == 0 ? "" : " / ") + number("%.4f", over(runs, stratum(s)).mean);
  }
  return text;
}

/// The first epoch whose validation is at least a value; the last if none is.
double epoch_that_reaches(const prism::TrialRecord& run, double validation) {
  const auto reaching =
      std::ranges::find_if(run.validations, [&](double each) { return each >= validation; });
  return static_cast<double>(std::min<std::size_t>(
      static_cast<std::size_t>(reaching - run.validations.begin()) + 1, run.validations.size()));
}

/// "+38 %" of the decay's epochs; negative where PRISM takes more.
std::string saved(double decay_epochs, double prism_epochs) {
  if (decay_epochs <= 0) return "";
  return number("%+.0f %%", 100 * (decay_epochs - prism_epochs) / decay_epochs);
}

/// A row of Table 1.
struct Row {
  const Cell& cell;
  const char* method;
  const prism::Tuned& tuned;
  prism::Statistic ours{};
  std::optional<double> paper{};
};

/// The rows of methods whose search and runs are complete.
std::vector<Row> rows(const std::vector<CellResult>& cells) {
  std::vector<Row> all;
  for (const CellResult& result : cells) {
    const Cell& cell = result.cell;
    const auto add = [&](const char* method, const prism::Tuned& tuned,
                         std::optional<double> paper) {
      if (!tuned.complete || tuned.runs.empty()) return;
      all.push_back({.cell = cell,
                     .method = method,
                     .tuned = tuned,
                     .ours = tuned.test(&prism::Report::ndcg),
                     .paper = paper});
    };
    const auto in_paper = [&](bool prism) {
      return published(cell.data.name, cell.backbone, cell.loss, prism);
    };
    add("decay", result.decay, in_paper(false));
    add("PRISM", result.prism, in_paper(true));
    if (result.after) add("after training", *result.after, std::nullopt);
  }
  return all;
}

}  // namespace

EpochsToEqualQuality epochs_to_equal_quality(const std::vector<prism::TrialRecord>& first,
                                             const std::vector<prism::TrialRecord>& second) {
  std::vector<double> of_first, of_second;
  for (std::size_t s = 0; s < std::min(first.size(), second.size()); ++s) {
    const prism::TrialRecord &one = first[s], &other = second[s];
    if (!one.report || !other.report) continue;
    const double common = std::min(one.validation, other.validation);
    of_first.push_back(epoch_that_reaches(one, common));
    of_second.push_back(epoch_that_reaches(other, common));
  }
  return {prism::statistic(of_first), prism::statistic(of_second)};
}

std::string file_name(const std::string& element) {
  std::string name = element;
  std::ranges::replace(name, '/', '-');
  return name;
}

std::string verdict(const prism::Statistic& ours, std::optional<double> paper) {
  if (!paper || ours.count == 0) return "";
  const double difference = 100 * (ours.mean - *paper) / *paper;
  if (std::abs(ours.mean - *paper) <= ours.deviation) return "within the spread";
  if (std::abs(difference) < 0.1) return "within 0.1 %";
  return (difference > 0 ? "better by " : "worse by ") + number("%.1f %%", std::abs(difference));
}

namespace {

/// The runs with the seeds of others.
std::vector<prism::TrialRecord> of_seeds(const std::vector<prism::TrialRecord>& runs,
                                         const std::vector<prism::TrialRecord>& others) {
  std::vector<prism::TrialRecord> some;
  for (const prism::TrialRecord& other : others) {
    const auto run = std::ranges::find(runs, other.seed, &prism::TrialRecord::seed);
    if (run != runs.end()) some.push_back(*run);
  }
  return some;
}

}  // namespace

std::string after_training_markdown(const std::vector<CellResult>& cells) {
  std::ostringstream out;
  for (const CellResult& result : cells) {
    if (!result.complete() || !result.after || !result.after->complete) continue;
    const std::vector<prism::TrialRecord>& runs = result.after->runs;
    const prism::Statistic ours = over(runs, ndcg);
    const auto of_decay = of_seeds(result.decay.runs, runs);
    const auto of_prism = of_seeds(result.prism.runs, runs);
    if (of_decay.size() != runs.size() || of_prism.size() != runs.size()) continue;
    const auto difference = [&](const std::vector<prism::TrialRecord>& other) {
      const prism::Statistic theirs = over(other, ndcg);
      return theirs.mean > 0 ? number("%+.1f %%", 100 * (ours.mean - theirs.mean) / theirs.mean)
                             : std::string();
    };
    const auto equal_epochs = [&](const std::vector<prism::TrialRecord>& other) {
      const auto [theirs, own] = epochs_to_equal_quality(other, runs);
      return number("%.0f", theirs.mean) + " / " + number("%.0f", own.mean);
    };
    const auto seconds = [](const std::vector<prism::TrialRecord>& of) {
      return mean_text("%.0f", over(of, [](const prism::TrialRecord& run) { return run.seconds; }));
    };
    const prism::Statistic power =
        over(runs, [](const prism::TrialRecord& run) { return run.chosen.value_or(0); });
    out << "| " << result.cell.data.title << " | " << result.cell.backbone << " + "
        << result.cell.loss << " | " << name_of(result.cell.protocol) << " | " << runs.size()
        << " | " << with_spread(over(of_decay, ndcg)) << " | " << with_spread(over(of_prism, ndcg))
        << " | " << with_spread(ours) << " | " << mean_text("%.2f", power) << " | "
        << difference(of_decay) << " / " << difference(of_prism) << " | " << equal_epochs(of_decay)
        << " | " << equal_epochs(of_prism) << " | " << seconds(of_decay) << " / "
        << seconds(of_prism) << " / " << seconds(runs) << " |\n";
  }
  if (out.str().empty()) return "";
  return "| data | model | protocol | seeds | NDCG@20, decay | PRISM | after training | power | "
         "difference from decay / PRISM | epochs to equal quality, decay / after | PRISM / after | "
         "seconds of a training, decay / PRISM / after "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n" +
         out.str();
}

std::string table1_markdown(const std::vector<CellResult>& cells) {
  std::ostringstream out;
  out << "| data | model | protocol | | hyperparameters | NDCG@20 | popular / neutral / unpopular "
         "| best epoch | paper | verdict |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows(cells)) {
    const std::vector<prism::TrialRecord>& runs = row.tuned.runs;
    out << "| " << row.cell.data.title << " | " << row.cell.backbone << " + " << row.cell.loss
        << " | " << name_of(row.cell.protocol) << " | " << row.method << " | "
        << label(row.tuned.configuration) << " | " << with_spread(row.ours) << diverged_text(runs)
        << " | " << strata_text(runs) << " | " << mean_text("%.0f", over(runs, best_epoch)) << " | "
        << (row.paper ? number("%.4f", *row.paper) : "") << " | " << verdict(row.ours, row.paper)
        << " |\n";
  }
  out << "\nPRISM compared with the tuned decay: the difference of NDCG@20, (PRISM - decay) / "
         "decay; "
         "the epochs to the best\nvalidation of each, and to equal quality: until the validation "
         "of "
         "each reaches the lower of their two best. Saved is\n(decay - PRISM) / decay, negative "
         "where PRISM takes more epochs:\n\n"
         "| data | model | protocol | difference of NDCG@20 | best epoch, decay | PRISM | saved | "
         "epochs to equal quality, decay | PRISM | saved "
         "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const CellResult& result : cells) {
    if (!result.complete() || result.decay.runs.empty()) continue;
    const prism::Statistic of_decay = result.decay.test(&prism::Report::ndcg);
    const prism::Statistic of_prism = result.prism.test(&prism::Report::ndcg);
    if (of_decay.count == 0 || of_prism.count == 0 || of_decay.mean == 0) continue;
    const double decay_epochs = over(result.decay.runs, best_epoch).mean;
    const double prism_epochs = over(result.prism.runs, best_epoch).mean;
    const double spread = std::max(of_decay.deviation, of_prism.deviation);
    const auto [equal_decay, equal_prism] =
        epochs_to_equal_quality(result.decay.runs, result.prism.runs);
    out << "| " << result.cell.data.title << " | " << result.cell.backbone << " + "
        << result.cell.loss << " | " << name_of(result.cell.protocol) << " | "
        << number("%+.2f %%", 100 * (of_prism.mean - of_decay.mean) / of_decay.mean)
        << (std::abs(of_prism.mean - of_decay.mean) <= spread && of_decay.count > 1
                ? ", within the spread"
                : "")
        << " | " << number("%.0f", decay_epochs) << " | " << number("%.0f", prism_epochs) << " | "
        << saved(decay_epochs, prism_epochs) << " | " << number("%.0f", equal_decay.mean) << " | "
        << number("%.0f", equal_prism.mean) << " | " << saved(equal_decay.mean, equal_prism.mean)
        << " |\n";
  }
  return out.str();
}

std::string rates_markdown(const std::vector<CellResult>& cells) {
  std::ostringstream out;
  out << "| data | model | protocol | learning rate | NDCG@20, decay | PRISM | epochs to equal "
         "quality, decay | PRISM |\n|---|---|---|---|---|---|---|---|\n";
  bool any = false;
  for (const CellResult& result : cells) {
    for (const BestAtRate& best : result.at_rates) {
      const auto [of_decay, of_prism] = epochs_to_equal_quality({best.decay}, {best.prism});
      out << "| " << result.cell.data.title << " | " << result.cell.backbone << " + "
          << result.cell.loss << " | " << name_of(result.cell.protocol) << " | "
          << prism::format_number(best.learning_rate) << " | " << number("%.4f", ndcg(best.decay))
          << " | " << number("%.4f", ndcg(best.prism)) << " | " << number("%.0f", of_decay.mean)
          << " | " << number("%.0f", of_prism.mean) << " |\n";
      any = true;
    }
  }
  return any ? out.str() : "";
}

std::string table1_csv(const std::vector<CellResult>& cells) {
  std::ostringstream out;
  out.precision(9);
  out << "data,backbone,loss,protocol,method,hyperparameters,seeds,ndcg,ndcg_deviation,popular,"
         "neutral,unpopular,best_epoch,paper\n";
  for (const Row& row : rows(cells)) {
    const std::vector<prism::TrialRecord>& runs = row.tuned.runs;
    out << row.cell.data.name << ',' << row.cell.backbone << ',' << row.cell.loss << ','
        << name_of(row.cell.protocol) << ',' << row.method << ','
        << csv_field(label(row.tuned.configuration)) << ',' << row.ours.count << ','
        << row.ours.mean << ',' << row.ours.deviation << ',' << over(runs, stratum(0)).mean << ','
        << over(runs, stratum(1)).mean << ',' << over(runs, stratum(2)).mean << ','
        << over(runs, best_epoch).mean << ',';
    if (row.paper) out << *row.paper;
    out << '\n';
  }
  return out.str();
}

std::string figure_csv(const FigureResult& result) {
  std::ostringstream out;
  out.precision(9);
  if (result.figure.shown == Shown::magnitudes) {
    out << "series,popularity,items,magnitude\n";
    for (const SeriesResult& series : result.series) {
      for (const SeriesPoint& point : series.points) {
        if (point.runs.empty() || !point.runs.front().report) continue;
        for (const prism::MagnitudeBin& bin : point.runs.front().report->magnitudes) {
          out << csv_field(series.series.title) << ',' << bin.popularity << ',' << bin.items << ','
              << bin.magnitude << '\n';
        }
      }
    }
    return out.str();
  }
  if (result.figure.shown == Shown::curves) {
    out << "series,epoch,validation,validation_by_cosine\n";
    for (const SeriesResult& series : result.series) {
      for (const SeriesPoint& point : series.points) {
        if (point.runs.empty()) continue;
        const prism::TrialRecord& run = point.runs.front();
        for (std::size_t e = 0; e < run.validations.size(); ++e) {
          out << csv_field(series.series.title) << ',' << e + 1 << ',' << run.validations[e] << ',';
          if (e < run.validations_by_cosine.size()) out << run.validations_by_cosine[e];
          out << '\n';
        }
      }
    }
    return out.str();
  }
  out << "series," << (result.figure.parameter.empty() ? "parameter" : result.figure.parameter)
      << ",seeds,ndcg,ndcg_deviation,ndcg_by_cosine,popular,neutral,unpopular,best_epoch\n";
  for (const SeriesResult& series : result.series) {
    for (const SeriesPoint& point : series.points) {
      const prism::Statistic quality = over(point.runs, ndcg);
      if (quality.count == 0) continue;
      out << csv_field(series.series.title) << ',';
      if (!std::isnan(point.value)) out << point.value;
      out << ',' << quality.count << ',' << quality.mean << ',' << quality.deviation << ','
          << over(point.runs, by_cosine).mean << ',' << over(point.runs, stratum(0)).mean << ','
          << over(point.runs, stratum(1)).mean << ',' << over(point.runs, stratum(2)).mean << ','
          << over(point.runs, best_epoch).mean << '\n';
    }
  }
  return out.str();
}

std::string figure_markdown(const FigureResult& result) {
  if (result.figure.shown == Shown::magnitudes) return "";
  std::ostringstream out;
  const bool swept = !result.figure.parameter.empty();
  out << "| model |" << (swept ? " " + result.figure.parameter + " |" : "")
      << " NDCG@20 | NDCG@20 by cosine | popular / neutral / unpopular | unpopular / popular | "
         "best epoch "
         "|\n|---|"
      << (swept ? "---|" : "") << "---|---|---|---|---|\n";
  for (const SeriesResult& series : result.series) {
    for (const SeriesPoint& point : series.points) {
      if (point.runs.empty()) continue;
      out << "| " << series.series.title << " | ";
      if (swept) out << prism::format_number(point.value) << " | ";
      const prism::Statistic ratio = over(point.runs, unpopular_to_popular);
      out << with_spread(over(point.runs, ndcg)) << diverged_text(point.runs) << " | "
          << mean_text("%.4f", over(point.runs, by_cosine)) << " | " << strata_text(point.runs)
          << " | " << mean_text("%.3f", ratio) << " | "
          << mean_text("%.0f", over(point.runs, best_epoch)) << " |\n";
    }
  }
  return out.str();
}

}  // namespace reproduce
