// SPDX-License-Identifier: BSD-3-Clause
// How well a trained model serves users that it has never seen: strong generalization as in
// Mult-VAE (Liang et al., WWW 2018). The model is shown 80% of the test users' items and predicts
// the rest. Compares the most popular items, fold-in, and the model retrained with the test users'
// shown items.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <prism/prism.hpp>
#include <string>
#include <vector>

#include "data_options.hpp"
#include "number_options.hpp"
#include "option_names.hpp"
#include "program.hpp"
#include "thread_limit.hpp"

namespace {

using namespace prism;

struct Settings : programs::DataOptions {
  double validation_users = StrongGeneralizationOptions{}.validation_users;
  double test_users = StrongGeneralizationOptions{}.test_users;
  std::size_t epochs = 200;
  std::size_t patience = 10;
  bool no_retraining = false;
};

/// The protocol's three metrics; the first also by popularity stratum.
struct Quality {
  Report at_100;
  double recall_20 = 0, recall_50 = 0;
};

template <class Evaluate>
Quality quality(const Evaluate& evaluate_at) {
  return {evaluate_at(100), evaluate_at(20).recall, evaluate_at(50).recall};
}

void print_header() {
  std::printf("%-36s  %8s  %8s  %8s  = popular  neutral  unpopular\n", "", "Recall20", "Recall50",
              "NDCG100");
}

void print(const std::string& label, const Quality& of) {
  const auto& [popular, neutral, unpopular] = of.at_100.ndcg_by_stratum;
  std::printf("%-36s  %8.4f  %8.4f  %8.4f  %9.4f  %7.4f  %9.4f\n", label.c_str(), of.recall_20,
              of.recall_50, of.at_100.ndcg, popular, neutral, unpopular);
  std::fflush(stdout);
}

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Evaluates held-out users, ranked by a scorer whose users they are.
Quality of_new_users(const Scorer<float>& scorer, const HeldOutUsers& users,
                     std::span<const Index> popularity) {
  return quality([&](std::size_t k) {
    return evaluate(scorer, users.target,
                    {.k = k,
                     .exclude = {&users.fold_in},
                     .recall_denominator = RecallDenominator::at_most_k,
                     .popularity = popularity});
  });
}

Scorer<float> popularity_scorer(const Interactions& train, std::size_t users) {
  Matrix<float> ones = zeros<float>(users, 1), degree = zeros<float>(train.items(), 1);
  ones.fill(1);
  std::ranges::transform(train.item_degree(), degree.begin(),
                         [](Index d) { return static_cast<float>(d); });
  return {Output<float>(std::move(ones), std::move(degree))};
}

/// The options with the best NDCG@100 on the validation users.
template <class Model>
LeastSquaresOptions choose(const Model& model, const HeldOutUsers& validation) {
  LeastSquaresOptions best{};
  double best_ndcg = -1;
  const Scorer<float> scorer = model.scorer();
  for (const Similarity similarity : {Similarity::dot, Similarity::cosine}) {
    double best_of_similarity = -1;
    for (const double weight : {0.001, 0.003, 0.01, 0.03, 0.1, 0.3}) {
      for (const double lambda : {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0}) {
        const LeastSquaresOptions options{
            .unobserved_weight = weight, .lambda = lambda, .similarity = similarity};
        const Matrix<float> folded_in =
            fold_in_users(scorer, validation.fold_in, {.least_squares = options});
        const double ndcg = evaluate(scorer_of_users(model, folded_in), validation.target,
                                     {.k = 100, .exclude = {&validation.fold_in}})
                                .ndcg;
        best_of_similarity = std::max(best_of_similarity, ndcg);
        if (ndcg <= best_ndcg) continue;
        best_ndcg = ndcg;
        best = options;
      }
    }
    std::printf("  least squares by %s: validation users' NDCG@100 %.4f at best\n",
                similarity == Similarity::dot ? "dot product" : "cosine", best_of_similarity);
  }
  std::printf("  chosen: unobserved_weight %g, lambda %g, %s\n", best.unobserved_weight,
              best.lambda, best.similarity == Similarity::dot ? "dot product" : "cosine");
  return best;
}

/// The number of epochs, or 0, with the best NDCG@100 on the validation users.
template <class Model>
std::size_t choose_epochs(const Model& model, const HeldOutUsers& validation,
                          const LeastSquaresOptions& start, std::uint64_t seed) {
  std::size_t best = 0;
  double best_ndcg = -1;
  std::printf("  steps of the loss, epochs: validation users' NDCG@100:");
  for (const std::size_t epochs : std::array<std::size_t, 6>{0, 2, 5, 10, 20, 40}) {
    const Matrix<float> folded_in = fold_in_users_by_gradient(
        model, validation.fold_in, {.epochs = epochs, .seed = seed, .start = start});
    const double ndcg = evaluate(scorer_of_users(model, folded_in), validation.target,
                                 {.k = 100, .exclude = {&validation.fold_in}})
                            .ndcg;
    std::printf("  %zu: %.4f", epochs, ndcg);
    std::fflush(stdout);
    if (ndcg <= best_ndcg) continue;
    best_ndcg = ndcg;
    best = epochs;
  }
  std::printf("\n");
  return best;
}

template <class Model>
void run(const StrongGeneralizationSplit& split, typename Model::Options model_options,
         FitOptions options, const Settings& settings) {
  // A tenth of the training users' interactions is the validation set for early stopping.
  const Split inner =
      random_split(split.train, {.validation = 0.1, .test = 0, .seed = settings.seed});
  model_options.seed = settings.seed;
  options.epochs = settings.epochs;
  options.patience = settings.patience;
  Model model(inner.train, model_options);
  std::printf("\n%s\n", model.name().c_str());
  auto begin = std::chrono::steady_clock::now();
  const History history = fit(model, inner, options, Silent());
  std::printf("  trained: best epoch %zu of %zu, %.0f s\n", history.best_epoch,
              history.epochs.size(), milliseconds_since(begin) / 1000);
  const std::span<const Index> popularity = split.train.item_degree();
  const LeastSquaresOptions least_squares = choose(model, split.validation);
  const std::size_t epochs = choose_epochs(model, split.validation, least_squares, settings.seed);

  print_header();
  const Scorer<float> scorer = model.scorer();
  begin = std::chrono::steady_clock::now();
  Matrix<float> folded_in =
      fold_in_users(scorer, split.test.fold_in, {.least_squares = least_squares});
  const double in_closed_form = milliseconds_since(begin);
  print("fold-in, least squares",
        of_new_users(scorer_of_users(model, folded_in), split.test, popularity));
  folded_in = fold_in_users(scorer, split.test.fold_in);
  print("  the same, default options",
        of_new_users(scorer_of_users(model, folded_in), split.test, popularity));
  begin = std::chrono::steady_clock::now();
  folded_in = fold_in_users_by_gradient(
      model, split.test.fold_in, {.epochs = epochs, .seed = settings.seed, .start = least_squares});
  const double by_gradient = milliseconds_since(begin);
  print("fold-in, " + std::to_string(epochs) + " epochs of the loss",
        of_new_users(scorer_of_users(model, folded_in), split.test, popularity));

  if (!settings.no_retraining) {
    const auto with_test_users = [&](const Interactions& part, const Interactions& of_users) {
      return append_users(part, of_users);
    };
    const Interactions nothing(split.test.fold_in.user_ids(), split.test.fold_in.item_ids(), {});
    const Interactions no_training(split.train.user_ids(), split.train.item_ids(), {});
    const Split whole{with_test_users(inner.train, split.test.fold_in),
                      with_test_users(inner.validation, nothing),
                      with_test_users(no_training, split.test.target)};
    Model retrained(whole.train, model_options);
    begin = std::chrono::steady_clock::now();
    const History again = fit(retrained, whole, options, Silent());
    const double training = milliseconds_since(begin) / 1000;
    print("trained with them (best epoch " + std::to_string(again.best_epoch) + ")",
          quality([&](std::size_t k) {
            return evaluate(retrained, whole.test,
                            {.k = k,
                             .recall_denominator = RecallDenominator::at_most_k,
                             .popularity = popularity});
          }));
    std::printf("  training again took %.0f s; ", training);
  }
  std::printf("fold-in of %u users %.1f ms, by the loss %.0f ms\n", split.test.fold_in.users(),
              in_closed_form, by_gradient);
}

void run_all(const Settings& settings) {
  const Interactions data = settings.interactions();
  const StrongGeneralizationSplit split =
      strong_generalization_split(data, {.validation_users = settings.validation_users,
                                         .test_users = settings.test_users,
                                         .seed = settings.seed});
  std::printf(
      "%u users, %u items, %zu interactions; %u training, %u validation and %u test users; "
      "%zu\ninteractions to predict of the test users, %zu dropped (items of no training "
      "user)\n\n",
      data.users(), data.items(), data.size(), split.train.users(),
      split.validation.fold_in.users(), split.test.fold_in.users(), split.test.target.size(),
      split.dropped);
  require(!split.validation.target.empty(), "--validation-users",
          "must be larger for these data: no validation user has enough items");
  require(!split.test.target.empty(), "--test-users",
          "must be larger for these data: no test user has enough items");
  print_header();
  print("most popular items",
        of_new_users(popularity_scorer(split.train, split.test.fold_in.users()), split.test,
                     split.train.item_degree()));
  run<Recommender<MF<64>, SSM, None, PRISM<1.0>, Adam, SharedNegatives<>>>(
      split,
      {.loss = {.negatives = 512, .tau = 0.2}, .sampler = {.mask = NegativeMask::seen_items}},
      {.learning_rate = 0.01}, settings);
  run<Recommender<MF<64>, DirectAU, None, PRISM<1.0>>>(split, {}, {}, settings);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Fold-in of users that the model has never seen, compared with training on them.",
               "strong_generalization");
  Settings settings;
  programs::declare_data(app, settings);
  app.add_option("--validation-users", settings.validation_users, "fraction of the users")
      ->capture_default_str();
  app.add_option("--test-users", settings.test_users, "fraction of the users")
      ->capture_default_str();
  programs::declare_epochs(app, settings.epochs);
  app.add_option("--patience", settings.patience, "epochs without a better validation")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  app.add_flag("--no-retraining", settings.no_retraining, "only fold-in");
  return programs::run_program(app, argc, argv, [&] {
    const programs::DefaultThreads limit(std::nullopt);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    run_all(settings);
    return 0;
  });
}
