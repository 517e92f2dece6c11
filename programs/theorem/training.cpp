// SPDX-License-Identifier: BSD-3-Clause
#include "training.hpp"

#include <cmath>
#include <cstdio>
#include <prism/prism.hpp>

namespace theorem {
namespace {

using namespace prism;

template <class Model>
Watched watch(std::string label, Model&& model, const Split& split, const FitOptions& options,
              const MagnitudeProbeOptions& probing) {
  MagnitudeProbe probe(split, probing);
  fit(model, split, options, probe);
  std::printf("%s, %s: trained %zu epochs\n", model.name().c_str(), label.c_str(),
              probe.records().size() - 1);
  std::fflush(stdout);
  return {std::move(label), probe.records(), magnitudes(model.tables().items)};
}

void print_deciles(const Watched& watched) {
  std::printf("\n%11s  %6s  %10s  %10s  %10s  %10s\n", "popularity", "items", "|i| at end",
              "measured", "theorem", "every pair");
  for (const MagnitudeBucket& decile : totals(watched.records)) {
    std::printf("%5u-%5u  %6zu  %10.5f  %+10.6f  %+10.6f  %+10.6f\n", decile.least_popular,
                decile.most_popular, decile.items, decile.magnitude, decile.measured,
                decile.predicted.value_or(0), decile.predicted_every_pair.value_or(0));
  }
  std::printf("\n");
}

}  // namespace

std::vector<MagnitudeBucket> totals(const std::vector<MagnitudeRecord>& records) {
  std::vector<MagnitudeBucket> sums = records.back().buckets;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    double measured = 0, predicted = 0, every_pair = 0;
    for (const MagnitudeRecord& record : records) {
      measured += record.buckets[b].measured;
      predicted += record.buckets[b].predicted.value_or(0);
      every_pair += record.buckets[b].predicted_every_pair.value_or(0);
    }
    sums[b].measured = measured;
    sums[b].predicted = predicted;
    sums[b].predicted_every_pair = every_pair;
  }
  return sums;
}

Split load(const Settings& settings) {
  prism::require_positive("--lr", settings.learning_rate);
  prism::require_non_negative("--lambda", settings.lambda);
  Split split = random_split(settings.interactions(),
                             {.validation = 0.1, .test = 0.1, .seed = settings.seed});
  require(split.train.items() >= 10 && !split.validation.empty(), "--data",
          "is too small: there must be at least 10 items and a validation set that is not empty");
  return split;
}

std::vector<Watched> train_by_cosine(const Split& split, std::uint64_t seed) {
  constexpr std::size_t dim = 32, epochs = 5;
  constexpr double batch_size = 256;
  // A learning rate with which angles and magnitudes change little in an epoch, as the probe's
  // predictions assume, and a decay as strong as the growth of an item of mean popularity.
  const double pairs = static_cast<double>(split.train.size());
  const double mean_popularity = pairs / split.train.items();
  const double square = 2.0 * dim / (split.train.items() + dim);  // mean |row|^2 of Xavier
  const double learning_rate = batch_size * square / mean_popularity;
  const double growth = learning_rate / batch_size / square;
  const double lambda =
      growth * growth * mean_popularity / (2 * learning_rate * pairs / batch_size);
  std::printf(
      "\nMF trained by cosine with SGD, %zu epochs (eta %.3g, |B| %g, lambda 0 and %.3g): the "
      "change "
      "of\n|i|^2 by decile of popularity, measured, as the theorem expects it, and with every pair "
      "of "
      "a\nbatch counted.\n\n",
      epochs, learning_rate, batch_size, lambda);
  std::vector<Watched> watched;
  for (const double decay : {0.0, lambda}) {
    Recommender<MF<dim>, Cosine, FullWD, Xavier, SGD> model(
        split.train, {.seed = seed, .regularizer = {.lambda = decay}});
    // All epochs, without early stopping.
    watched.push_back(watch(decay > 0 ? "full decay (λ " + format_number(decay) + ")" : "no decay",
                            model, split,
                            {.learning_rate = learning_rate,
                             .batch_size = static_cast<std::size_t>(batch_size),
                             .epochs = epochs,
                             .patience = epochs},
                            {.rank = false}));
    print_deciles(watched.back());
  }
  return watched;
}

std::vector<Watched> train_recommenders(const Split& split, const Settings& settings) {
  std::printf("MF + DirectAU with Adam at %g, lambda %g, for the training curves:\n",
              settings.learning_rate, settings.lambda);
  std::vector<Watched> watched;
  const auto train = [&]<class Regularizer, class Initializer>(const std::string& label,
                                                               const Regularizer& regularizer,
                                                               const Initializer& initializer) {
    Recommender<MF<64>, DirectAU, Regularizer, Initializer> model(
        split.train,
        {.seed = settings.seed, .regularizer = regularizer, .initializer = initializer});
    watched.push_back(watch(label, model, split,
                            {.learning_rate = settings.learning_rate,
                             .epochs = settings.epochs,
                             .patience = settings.epochs},
                            {}));
  };
  train("no decay", None{}, Xavier{});
  train("full decay (λ " + format_number(settings.lambda) + ")", FullWD{.lambda = settings.lambda},
        Xavier{});
  train("PRISM (no decay)", None{}, PRISM<1.0>{});
  return watched;
}

}  // namespace theorem
