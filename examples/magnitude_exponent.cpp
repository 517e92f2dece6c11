// SPDX-License-Identifier: BSD-3-Clause
// Compares two ways to set how much popularity weighs: when ranking (the exponent beta of the
// items' magnitudes) and before training (PRISM's alpha). Writes NDCG@20 of popular, neutral and
// unpopular items over both, as CSV and, with gnuplot, as SVG.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <prism/prism.hpp>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "data_options.hpp"
#include "number_options.hpp"
#include "option_names.hpp"
#include "plot/gnuplot.hpp"
#include "program.hpp"

namespace {

using namespace prism;

constexpr std::array<double, 12> betas{0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12};
constexpr std::array<double, 7> alphas{0, 0.25, 0.5, 0.75, 1, 1.5, 2};

struct Settings : examples::DataOptions {
  std::size_t epochs = 1000;
  std::string folder = "magnitude_exponent";
  bool no_picture = false;
};

/// The reports at each value of one axis.
struct Curve {
  std::string axis;  // "beta", "alpha"
  std::vector<std::pair<double, Report>> validation{};
  std::vector<std::pair<double, Report>> test{};
};

using Model = Recommender<MF<64>, DirectAU, None, PRISM<dynamic>>;

Model trained(const Split& split, double alpha, const Settings& settings) {
  Model model(split.train, {.seed = settings.seed, .initializer = {.alpha = alpha}});
  const History history = fit(model, split, {.epochs = settings.epochs}, Silent());
  std::printf("alpha %g: best epoch %zu of %zu\n", alpha, history.best_epoch,
              history.epochs.size());
  return model;
}

/// What evaluation on the test set excludes besides the training set.
EvaluateOptions of_test(const Split& split) { return {.exclude = {&split.validation}}; }

Curve over_beta(const Model& model, const Split& split) {
  Curve curve{"beta"};
  for (const auto& [beta, report] : magnitude_curve(model, split.validation, betas)) {
    curve.validation.emplace_back(beta, report);
  }
  for (const auto& [beta, report] : magnitude_curve(model, split.test, betas, of_test(split))) {
    curve.test.emplace_back(beta, report);
  }
  return curve;
}

void print(const Curve& curve) {
  std::printf("\n%s\n%5s  %10s  %10s = popular  neutral  unpopular  mean popularity\n",
              curve.axis.c_str(), "", "validation", "test");
  for (std::size_t k = 0; k < curve.test.size(); ++k) {
    const auto& [at, report] = curve.test[k];
    const auto& [popular, neutral, unpopular] = report.ndcg_by_stratum;
    std::printf("%5g  %10.5f  %10.5f  %8.5f  %7.5f  %9.5f  %15.1f\n", at,
                curve.validation[k].second.ndcg, report.ndcg, popular, neutral, unpopular,
                report.average_popularity);
  }
}

std::string csv(const std::vector<Curve>& curves) {
  std::ostringstream out;
  out.precision(9);
  out << "axis,value,part,ndcg,popular,neutral,unpopular,recall,average_popularity,gini\n";
  for (const Curve& curve : curves) {
    for (const auto& [part, points] :
         {std::pair("validation", &curve.validation), std::pair("test", &curve.test)}) {
      for (const auto& [at, report] : *points) {
        out << curve.axis << ',' << at << ',' << part << ',' << report.ndcg;
        for (const double ndcg : report.ndcg_by_stratum) out << ',' << ndcg;
        out << ',' << report.recall << ',' << report.average_popularity << ',' << report.gini
            << '\n';
      }
    }
  }
  return out.str();
}

plot::Panel panel(const Curve& curve, std::string title, std::string x_label, double y_max) {
  plot::Panel result{.title = std::move(title),
                     .x_label = std::move(x_label),
                     .y_label = "NDCG@20 on the test set",
                     .y_max = 1.05 * y_max};
  result.lines = {{"all items"}, {"popular"}, {"neutral"}, {"unpopular"}};
  for (const auto& [at, report] : curve.test) {
    result.lines[0].points.push_back({at, report.ndcg});
    for (std::size_t s = 0; s < 3; ++s) {
      result.lines[s + 1].points.push_back({at, report.ndcg_by_stratum[s]});
    }
  }
  return result;
}

void run(const Settings& settings) {
  if (!settings.no_picture) plot::require_gnuplot(settings.folder);
  StagedFiles files(settings.folder);
  const Split split = random_split(settings.interactions(),
                                   {.validation = 0.1, .test = 0.1, .seed = settings.seed});
  require(!split.validation.empty() && !split.test.empty(), "--data",
          "is too small: the validation and test sets would be empty");

  Curve by_alpha{"alpha"}, by_beta;
  MagnitudePoint best;
  for (const double alpha : alphas) {
    const Model model = trained(split, alpha, settings);
    by_alpha.validation.emplace_back(alpha, evaluate(model, split.validation));
    by_alpha.test.emplace_back(alpha, evaluate(model, split.test, of_test(split)));
    if (alpha != 1) continue;
    by_beta = over_beta(model, split);
    std::vector<MagnitudePoint> points;
    for (const auto& [beta, report] : by_beta.validation) points.push_back({beta, report});
    best = best_point(points);
  }
  print(by_beta);
  std::printf("best on validation: beta %g\n", best.beta);
  print(by_alpha);
  files.write("magnitude_exponent.csv", csv({by_beta, by_alpha}));
  files.publish();
  if (settings.no_picture) return;
  double y_max = 0;  // the same for both, so that they can be compared
  for (const Curve* curve : {&by_beta, &by_alpha}) {
    for (const auto& [at, report] : curve->test) y_max = std::max(y_max, report.ndcg);
  }
  plot::draw_panels(
      settings.folder + "/magnitude_exponent.svg",
      {panel(by_beta, "when ranking: magnitudes to the power of β, α = 1",
             "β (1: as trained, 0: cosine)", y_max),
       panel(by_alpha, "before training: PRISM's α", "α (0: all magnitudes equal)", y_max)},
      2);
  std::printf("\n%s/magnitude_exponent.svg\n", settings.folder.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("NDCG@20 by popularity, over the magnitudes' exponent beta and PRISM's alpha.",
               "magnitude_exponent");
  Settings settings;
  examples::declare_data(app, settings);
  examples::declare_epochs(app, settings.epochs);
  app.add_option("--output", settings.folder, "folder for CSV and SVG")
      ->check(examples::named("a folder"))
      ->capture_default_str();
  app.add_flag("--no-picture", settings.no_picture, "only the CSV, without gnuplot");
  return examples::run_program(app, argc, argv, [&] {
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    run(settings);
    return 0;
  });
}
