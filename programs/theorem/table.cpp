// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <prism/theory/balanced_magnitude.hpp>

namespace theorem {
namespace {

using namespace prism;

constexpr std::int64_t pairs = 1'000'000;
constexpr std::int64_t items = 4'000'000;

}  // namespace

const char* name_of(PairLoss pair_loss) {
  switch (pair_loss) {
    case PairLoss::cosine:
      return "cosine";
    case PairLoss::dot:
      return "dot";
    case PairLoss::euclidean:
      break;
  }
  return "euclidean";
}

const char* name_of(Decay decay) { return decay == Decay::full ? "full" : "batched"; }

std::vector<TheoremSetting> grid() {
  constexpr std::array popularities{1, 10, 100, 1000};
  constexpr std::array batch_sizes{1'000, 10'000, 50'000};
  struct Rate {
    double learning_rate, lambda;
  };
  constexpr std::array rates{Rate{0.05, 0.01}, Rate{0.5, 0.1}};
  std::vector<TheoremSetting> settings;
  for (const PairLoss pair_loss : {PairLoss::cosine, PairLoss::dot, PairLoss::euclidean}) {
    for (const Decay decay : {Decay::full, Decay::batched}) {
      for (const int negatives : {0, 10}) {
        for (const int popularity : popularities) {
          for (const int batch_size : batch_sizes) {
            for (const auto& [learning_rate, lambda] : rates) {
              settings.push_back({.pair_loss = pair_loss,
                                  .decay = decay,
                                  .learning_rate = learning_rate,
                                  .lambda = lambda,
                                  .pair = {.user = 1.3, .item = 0.7, .cosine = 0.3},
                                  .popularity = popularity,
                                  .batches = {.pairs = pairs,
                                              .batch_size = batch_size,
                                              .negatives = negatives,
                                              .items = items}});
            }
          }
        }
      }
    }
  }
  return settings;
}

std::vector<TheoremCheck> check_grid(const Settings& settings) {
  const std::vector<TheoremSetting> all = grid();
  std::printf(
      "The expected change of |i|^2 in a step, predicted and simulated: %lld batches each, with "
      "the\n"
      "99.9%% interval. |E| = %lld pairs, |I| = %lld items, |u| = %g, |i| = %g, cos(u, i) = %g; "
      "an\n"
      "item takes at most one update a batch.\n\n",
      static_cast<long long>(settings.draws), static_cast<long long>(pairs),
      static_cast<long long>(items), all[0].pair.user, all[0].pair.item, all[0].pair.cosine);
  std::printf("%-9s  %-7s  %2s  %5s  %7s  %5s  %6s  %12s  %12s  %26s\n", "alignment", "decay", "n",
              "d", "|B|/|E|", "eta", "lambda", "predicted", "simulated", "interval");
  std::vector<TheoremCheck> checks =
      check_theorem(all, {.draws = settings.draws, .seed = settings.seed});
  for (const auto& [setting, predicted, simulated] : checks) {
    const double share = static_cast<double>(setting.batches.batch_size) /
                         static_cast<double>(setting.batches.pairs);
    std::printf("%-9s  %-7s  %2d  %5d  %7g  %5g  %6g  %12.5e  %12.5e  [%12.5e,%12.5e]  %s\n",
                name_of(setting.pair_loss), name_of(setting.decay),
                static_cast<int>(setting.batches.negatives), static_cast<int>(setting.popularity),
                share, setting.learning_rate, setting.lambda, predicted, simulated.mean,
                simulated.low, simulated.high, simulated.contains(predicted) ? "holds" : "OUTSIDE");
  }
  return checks;
}

void print_limits(const Settings& settings) {
  std::printf(
      "\nWhere the theorem no longer holds: growth alone (no decay, cosine, eta 0.05), simulated, "
      "as "
      "a\n"
      "share of what is predicted. The theorem counts one pair of an item in a batch; where all\n"
      "count, popular items grow by more. Pairs that are drawn with replacement are in fewer "
      "batches\n"
      "than it says where batches are large.\n\n"
      "%5s  %7s  %9s  %22s  %22s  %22s\n",
      "d", "|B|/|E|", "P(i in B)", "one update", "every pair", "replacement");
  auto run = static_cast<std::uint32_t>(grid().size());  // after the grid's runs
  for (const int popularity : {1, 10, 100, 1000}) {
    for (const int batch_size : {1'000, 50'000}) {
      const TheoremSetting setting{.learning_rate = 0.05,
                                   .pair = {.user = 1.3, .item = 0.7, .cosine = 0.3},
                                   .popularity = popularity,
                                   .batches = {.pairs = pairs, .batch_size = batch_size}};
      const double predicted = expected_change(setting);
      const auto share = [&](Updates updates, PairSampling drawn) {
        const SimulatedChange change = simulate_change(setting, {.draws = settings.draws,
                                                                 .sampling = drawn,
                                                                 .updates = updates,
                                                                 .seed = settings.seed,
                                                                 .run = run++});
        std::printf("  %6.3f [%6.3f,%6.3f]", change.mean / predicted, change.low / predicted,
                    change.high / predicted);
      };
      std::printf("%5d  %7g  %9.5f", popularity,
                  static_cast<double>(batch_size) / static_cast<double>(pairs),
                  batch_probability(setting.popularity, setting.batches).in_batch());
      share(Updates::at_most_one, PairSampling::without_replacement);
      share(Updates::every_pair, PairSampling::without_replacement);
      share(Updates::at_most_one, PairSampling::with_replacement);
      std::printf("\n");
    }
  }

  std::printf(
      "\nWhere growth and decay balance, by cosine (eta 0.05, |B|/|E| 0.01), and how many steps a "
      "row\n"
      "of magnitude 0.1 takes to within 1%% of it, in thousands:\n\n"
      "%5s  %13s  %13s  %13s  %13s\n",
      "d", "full, 1e-3", "thousands", "batched, 1e-3", "full, 1e-5");
  for (const int popularity : {1, 10, 100, 1000}) {
    TheoremSetting setting{.learning_rate = 0.05,
                           .lambda = 1e-3,
                           .pair = {.item = 0.1, .cosine = 0.3},
                           .popularity = popularity,
                           .batches = {.pairs = pairs, .batch_size = 10'000}};
    std::printf("%5d  %13.4f  %13.2f", popularity, balanced_magnitude(setting),
                steps_to_balance(setting) / 1000);
    setting.decay = Decay::batched;
    std::printf("  %13.4f", balanced_magnitude(setting));
    setting.decay = Decay::full;
    setting.lambda = 1e-5;
    std::printf("  %13.4f, %.0f thousand steps\n", balanced_magnitude(setting),
                steps_to_balance(setting) / 1000);
  }
}

}  // namespace theorem
