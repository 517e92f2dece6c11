// SPDX-License-Identifier: BSD-3-Clause
#include "defaults.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "format.hpp"
#include "results.hpp"

namespace reproduce {

namespace {

DataSet synthetic(const std::string& users, const std::string& items) {
  return {.name = "synthetic" + users,
          .title = "synthetic, " + users + " x " + items,
          .file = "",
          .synthetic_users = static_cast<prism::Index>(std::stoul(users)),
          .synthetic_items = static_cast<prism::Index>(std::stoul(items))};
}

/// "+1.2 %": NDCG@20 with the default learning rate relative to the best of the other rates; empty
/// if its runs, or all of theirs, diverged.
std::string beside_best(const SeriesResult& series) {
  const prism::Statistic ours = over(series.points.front().runs, ndcg);
  double best = 0;
  for (const SeriesPoint& point : series.points) {
    if (point.value != 0) best = std::max(best, over(point.runs, ndcg).mean);
  }
  if (ours.count == 0 || best == 0) return "";
  return number("%+.1f %%", 100 * (ours.mean - best) / best);
}

}  // namespace

const std::vector<DataSet>& defaults_data_sets() {
  static const std::vector<DataSet> all = [] {
    std::vector<DataSet> sets{{.name = "ml100k", .title = "MovieLens 100K", .file = "u.data"}};
    sets.insert(sets.end(), data_sets().begin(), data_sets().end());
    sets.push_back(synthetic("600", "400"));
    sets.push_back(synthetic("3000", "2000"));
    sets.push_back(synthetic("6000", "4000"));
    return sets;
  }();
  return all;
}

Figure defaults_figure(const DataSet& data) {
  Figure figure{.name = "defaults/" + data.name,
                .title = data.title,
                .caption = "",
                .shown = Shown::rates,
                .parameter = "lr"};
  std::vector<double> values{0};
  values.insert(values.end(), learning_rates.begin(), learning_rates.end());
  const std::pair<const char*, experiment::ModelChoice> models[]{
      {"FullWD", {"MF", "DirectAU", "FullWD", "Xavier"}},
      {"PRISM<1>", {"MF", "DirectAU", "None", "PRISM"}},
      {"after training", {"MF", "DirectAU", "None", "Xavier", prism::power_by_validation()}}};
  for (const auto& [title, model] : models) {
    figure.series.push_back(
        {.title = title, .model = model, .learning_rate = 0, .batch = 4096, .values = values});
  }
  return figure;
}

std::string defaults_markdown(const std::vector<FigureResult>& results) {
  std::ostringstream out;
  bool any = false;
  out << "| data | model | default |";
  for (const double rate : learning_rates) out << ' ' << prism::format_number(rate) << " |";
  out << " |\n|---|---|---|";
  for (std::size_t k = 0; k < learning_rates.size(); ++k) out << "---|";
  out << "---|\n";
  for (const FigureResult& result : results) {
    if (result.figure.shown != Shown::rates) continue;
    for (const SeriesResult& series : result.series) {
      if (!series.shows_all()) continue;
      any = true;
      out << "| " << result.figure.title << " | " << series.series.title << " |";
      for (const SeriesPoint& point : series.points) {
        out << ' ' << with_spread(over(point.runs, ndcg)) << diverged_text(point.runs) << " ("
            << mean_text("%.0f", over(point.runs, best_epoch)) << ") |";
      }
      out << ' ' << beside_best(series) << " |\n";
    }
  }
  return any ? out.str() : "";
}

std::string defaults_csv(const std::vector<FigureResult>& results) {
  std::ostringstream out;
  out.precision(9);
  out << "data,model,lr,seeds,ndcg,ndcg_deviation,best_epoch\n";
  for (const FigureResult& result : results) {
    if (result.figure.shown != Shown::rates) continue;
    for (const SeriesResult& series : result.series) {
      if (!series.shows_all()) continue;
      for (const SeriesPoint& point : series.points) {
        const prism::Statistic quality = over(point.runs, ndcg);
        out << csv_field(result.figure.title) << ',' << csv_field(series.series.title) << ',';
        if (point.value != 0) out << point.value;
        out << ',' << quality.count << ',' << quality.mean << ',' << quality.deviation << ','
            << over(point.runs, best_epoch).mean << '\n';
      }
    }
  }
  return out.str();
}

}  // namespace reproduce
