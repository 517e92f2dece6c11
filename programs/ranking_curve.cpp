// SPDX-License-Identifier: BSD-3-Clause
// How much popularity weighs, set when ranking, for one trained model, and set before training.
// Writes NDCG@20 of popular, neutral and unpopular items over the power and over the alpha that a
// model is ranked with, and over PRISM's alpha before training, as CSV and, with gnuplot, as SVG.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
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
#include "thread_limit.hpp"

namespace {

using namespace prism;

/// Each alpha before training takes a training of its own.
constexpr std::array<double, 7> initial_alphas{0, 0.25, 0.5, 0.75, 1, 1.5, 2};

struct Settings : programs::DataOptions {
  std::size_t epochs = 1000;
  std::string folder = "ranking_curve";
  bool no_picture = false;
};

/// The reports at one value of an axis.
struct Point {
  double at;
  Report validation, test;
};
struct Curve {
  std::string axis;  // in the CSV
  std::string title, x_label;
  std::vector<Point> points{};
  double chosen = 0;  // on the validation set
};

/// What evaluation on the test set excludes besides the training set.
EvaluateOptions test_options(const Split& split) { return {.exclude = {&split.validation}}; }

template <class Model>
void train(Model& model, const Split& split, const std::string& name, const Settings& settings) {
  const History history = fit(model, split, {.epochs = settings.epochs}, Silent());
  std::printf("%s: best epoch %zu of %zu, %.1f s\n", name.c_str(), history.best_epoch,
              history.epochs.size(), history.seconds);
}

/// The value that ranks the validation set best; of equal ones the first.
double best_on_validation(const Curve& curve) {
  return std::ranges::max_element(curve.points, {},
                                  [](const Point& point) { return point.validation.ndcg; })
      ->at;
}

/// A trained model, ranked with each of these values of one member.
template <class Model>
Curve when_ranking(Curve curve, const Model& model, const Split& split,
                   std::optional<double> Ranking::* member, const std::vector<double>& values) {
  const std::vector<Ranking> rankings = rankings_over(member, values);
  const auto validation = ranking_curve(model, split.validation, rankings);
  const auto test = ranking_curve(model, split.test, rankings, test_options(split));
  for (std::size_t k = 0; k < values.size(); ++k) {
    curve.points.push_back({values[k], validation[k].report, test[k].report});
  }
  curve.chosen = best_on_validation(curve);
  return curve;
}

/// Models ranked as trained, each with another alpha at the start.
Curve before_training(Curve curve, const Split& split, const Settings& settings) {
  for (const double alpha : initial_alphas) {
    Recommender<MF<64>, DirectAU, None, PRISM<dynamic>> model(
        split.train, {.seed = settings.seed, .initializer = {.alpha = alpha}});
    train(model, split, "PRISM, alpha " + format_number(alpha), settings);
    curve.points.push_back({alpha, evaluate(model, split.validation),
                            evaluate(model, split.test, test_options(split))});
  }
  curve.chosen = best_on_validation(curve);
  return curve;
}

void print(const Curve& curve) {
  std::printf("\n%s\n%6s  %10s  %10s = popular  neutral  unpopular  mean popularity\n",
              curve.axis.c_str(), "", "validation", "test");
  for (const auto& [at, validation, test] : curve.points) {
    const auto& [popular, neutral, unpopular] = test.ndcg_by_stratum;
    std::printf("%6g  %10.5f  %10.5f  %8.5f  %7.5f  %9.5f  %15.1f%s\n", at, validation.ndcg,
                test.ndcg, popular, neutral, unpopular, test.average_popularity,
                at == curve.chosen ? "  chosen on the validation set" : "");
  }
}

std::string csv(const std::vector<Curve>& curves) {
  std::ostringstream out;
  out.precision(9);
  out << "axis,value,part,ndcg,popular,neutral,unpopular,recall,average_popularity,gini,chosen\n";
  for (const Curve& curve : curves) {
    for (const bool on_test : {false, true}) {
      for (const Point& point : curve.points) {
        const Report& report = on_test ? point.test : point.validation;
        out << curve.axis << ',' << point.at << ',' << (on_test ? "test" : "validation") << ','
            << report.ndcg;
        for (const double ndcg : report.ndcg_by_stratum) out << ',' << ndcg;
        out << ',' << report.recall << ',' << report.average_popularity << ',' << report.gini << ','
            << (point.at == curve.chosen ? 1 : 0) << '\n';
      }
    }
  }
  return out.str();
}

plot::Panel panel(const Curve& curve, double y_max) {
  plot::Panel result{.title = curve.title,
                     .x_label = curve.x_label,
                     .y_label = "NDCG@20 on the test set",
                     .y_max = 1.05 * y_max};
  result.lines = {{"all items"}, {"popular"}, {"neutral"}, {"unpopular"}};
  result.marked_x = curve.chosen;
  for (const Point& point : curve.points) {
    result.lines[0].points.push_back({point.at, point.test.ndcg});
    for (std::size_t s = 0; s < 3; ++s) {
      result.lines[s + 1].points.push_back({point.at, point.test.ndcg_by_stratum[s]});
    }
  }
  return result;
}

std::vector<Curve> curves_of(const Split& split, const Settings& settings) {
  // No decay, and no popularity in the initial rows: it is added when ranking.
  Recommender<MF<64>, DirectAU> model(split.train,
                                      {.seed = settings.seed, .ranking = power_by_validation()});
  train(model, split, "Xavier, ranked by (d + 1)^power", settings);
  Curve by_power = when_ranking({.axis = "power_when_ranking",
                                 .title = "one model, ranked with (d + 1)^p",
                                 .x_label = "power p (0: cosine)"},
                                model, split, &Ranking::power, default_powers());
  if (const auto chosen = model.ranking().chosen()) {
    std::printf("power chosen in training: %g\n", *chosen);
    by_power.chosen = *chosen;
  }
  const std::array<Ranking, 1> as_trained{};
  std::printf("with the rows' own magnitudes: validation %.5f, test %.5f\n",
              ranking_curve(model, split.validation, as_trained)[0].report.ndcg,
              ranking_curve(model, split.test, as_trained, test_options(split))[0].report.ndcg);
  std::vector<double> alphas = default_alphas();
  alphas.push_back(max_prism_alpha);
  Curve by_alpha = when_ranking({.axis = "alpha_when_ranking",
                                 .title = "the same, with α log(d + 2) + 1 - α",
                                 .x_label = "α when ranking (0: cosine)"},
                                model, split, &Ranking::alpha, alphas);
  Curve by_initial_alpha = before_training({.axis = "alpha_before_training",
                                            .title = "seven models with PRISM's α",
                                            .x_label = "α before training"},
                                           split, settings);
  return {std::move(by_power), std::move(by_alpha), std::move(by_initial_alpha)};
}

void run(const Settings& settings) {
  if (!settings.no_picture) plot::require_gnuplot(settings.folder);
  detail::StagedFiles files(settings.folder);
  const Split split = random_split(settings.interactions(),
                                   {.validation = 0.1, .test = 0.1, .seed = settings.seed});
  require(!split.validation.empty() && !split.test.empty(), "--data",
          "is too small: the validation and test sets would be empty");
  const std::vector<Curve> curves = curves_of(split, settings);
  for (const Curve& curve : curves) print(curve);
  files.write("ranking_curve.csv", csv(curves));
  files.publish();
  if (settings.no_picture) return;
  double y_max = 0;  // the same for all, so that they can be compared
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) y_max = std::max(y_max, point.test.ndcg);
  }
  std::vector<plot::Panel> panels;
  for (const Curve& curve : curves) panels.push_back(panel(curve, y_max));
  plot::draw_panels(settings.folder + "/ranking_curve.svg", panels, 3);
  std::printf("\n%s/ranking_curve.svg\n", settings.folder.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "NDCG@20 by popularity, over the power and the alpha of a model's ranking, and over PRISM's "
      "alpha before training.",
      "ranking_curve");
  Settings settings;
  programs::declare_data(app, settings);
  programs::declare_epochs(app, settings.epochs);
  app.add_option("--output", settings.folder, "folder for CSV and SVG")
      ->check(programs::named("a folder"))
      ->capture_default_str();
  app.add_flag("--no-picture", settings.no_picture, "only the CSV, without gnuplot");
  return programs::run_program(app, argc, argv, [&] {
    const programs::DefaultThreads limit(std::nullopt);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    run(settings);
    return 0;
  });
}
