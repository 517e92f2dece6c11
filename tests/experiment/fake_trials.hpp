// SPDX-License-Identifier: BSD-3-Clause
// What tests of trials share: trials that train nothing, small models and their split, a folder for
// records.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <prism/experiment/tune.hpp>
#include <prism/prism.hpp>
#include <string>

namespace test {

using namespace prism;

using Small =
    Types<Recommender<MF<8>, DirectAU, None, Xavier>, Recommender<MF<8>, DirectAU, FullWD, Xavier>>;

inline const Split& trial_split() {
  static const Split split =
      random_split(synthetic_interactions({.users = 120, .items = 90, .interactions_per_user = 20}),
                   {.validation = 0.1, .test = 0.1, .seed = 1});
  return split;
}

inline constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

/// A new empty folder, removed at the end of the scope.
struct Folder {
  std::filesystem::path path;
  Folder() {
    static int count = 0;
    path = std::filesystem::temp_directory_path() /
           ("prism_tune_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

/// A trial whose validation after n epochs is quality * (1 - 1/(n+1)); it ends after 30 epochs.
class FakeTrial final : public Trial {
 public:
  FakeTrial(double quality, std::atomic<int>& epochs) : quality_(quality), epochs_(epochs) {}
  void train(std::size_t epochs, const std::function<bool()>& interrupted) override {
    while (!finished() && history_.epochs.size() < epochs) {
      const std::size_t epoch = history_.epochs.size() + 1;
      ++epochs_;
      if (quality_ < 0 && epoch == 3) {
        history_.stop_reason = StopReason::diverged;
        throw DivergenceError("the loss is no longer finite");
      }
      history_.best_validation = std::abs(quality_) * (1 - 1 / static_cast<double>(epoch + 1));
      history_.best_epoch = epoch;
      history_.epochs.push_back({.epoch = epoch, .validation = history_.best_validation});
      if (epoch == 30) history_.stop_reason = StopReason::epochs;
      if (interrupted && interrupted()) return;
    }
  }
  const History& history() const override { return history_; }
  bool finished() const override { return history_.stop_reason != StopReason::none; }
  void save(const std::filesystem::path&) override {}
  TrialReport report() override {
    TrialReport report{};
    report.dot.ndcg = -quality_;  // the choice must not look at it
    return report;
  }

 private:
  double quality_;
  std::atomic<int>& epochs_;
  History history_;
};

inline Candidate fake(double quality, std::atomic<int>& epochs,
                      const std::string& model = "model") {
  return {.model = model,
          .configuration = {{"quality", quality}},
          .trial = [=, &epochs](std::uint64_t seed) {
            return TrialSpec{.key = model + format_number(quality) + "/" + std::to_string(seed),
                             .model = model,
                             .configuration = {{"quality", quality}},
                             .seed = seed,
                             .make = [=, &epochs](const std::filesystem::path&) {
                               return std::make_unique<FakeTrial>(quality, epochs);
                             }};
          }};
}

}  // namespace test
