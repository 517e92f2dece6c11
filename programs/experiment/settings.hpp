// SPDX-License-Identifier: BSD-3-Clause
// The options of the command line of `experiment`.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <prism/backbone/simplex.hpp>
#include <prism/data/format.hpp>
#include <prism/data/split.hpp>
#include <prism/data/synthetic.hpp>
#include <prism/experiment/search_space.hpp>
#include <prism/kernel/surrogate.hpp>
#include <prism/loss/ccl.hpp>
#include <prism/loss/mawu.hpp>
#include <prism/loss/slk.hpp>
#include <prism/loss/ultragcn.hpp>
#include <prism/policy/batch.hpp>
#include <prism/policy/ranking.hpp>
#include <prism/training/fit.hpp>
#include <string>
#include <vector>

#include "reading_options.hpp"

namespace CLI {
class App;
}

namespace experiment {

// The enumerators that options name.
inline const std::map<std::string, prism::NegativeMask> masks{
    {"none", prism::NegativeMask::none},
    {"own_item", prism::NegativeMask::own_item},
    {"seen_items", prism::NegativeMask::seen_items}};
inline const std::map<std::string, prism::SplitMethod> split_methods{
    {"random", prism::SplitMethod::random},
    {"temporal_user", prism::SplitMethod::temporal_user},
    {"temporal_global", prism::SplitMethod::temporal_global},
    {"leave_last_out", prism::SplitMethod::leave_last_out}};
inline const std::map<std::string, prism::Surrogate> surrogates{{"tanh", prism::Surrogate::tanh},
                                                                {"atan", prism::Surrogate::atan},
                                                                {"relu", prism::Surrogate::relu}};

/// --rank-power and --rank-alpha: the library's list.
inline constexpr const char* automatic_ranking = "auto";

// Lines of a saved model's manifest.
inline constexpr const char* settings_note = "note settings";  // Settings::description
inline constexpr const char* data_note = "note data";          // Settings::data_description
inline constexpr const char* interrupted_note = "note interrupted";
inline constexpr const char* validation_note = "note validation_ndcg";

/// One model to train.
struct ModelChoice {
  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::string regularizer = "None";
  std::string initializer = "PRISM";
  prism::Ranking ranking{};
};

struct Settings : programs::ReadingOptions {
  std::string data;  // empty: synthetic
  std::string test;  // empty: a part of data
  // Column of data that has test_value in the lines of the test set; empty: a random part.
  std::string test_column;
  std::string test_value = prism::TestColumn{}.value;
  bool drop_repeated = false;
  std::string split = "random";  // a key of split_methods
  double validation_part = 0.1;
  double test_part = 0.1;
  prism::Index synthetic_users = prism::SyntheticOptions{}.users;
  prism::Index synthetic_items = prism::SyntheticOptions{}.items;

  std::string backbone = "MF";
  std::string loss = "DirectAU";
  std::optional<std::string> regularizer;
  std::optional<std::string> initializer;
  std::string activation = "ReLU";
  double simplex_own_weight = prism::SimpleX<1>{}.own_weight;
  double dropout = 0;
  std::optional<std::string> penalty;
  std::string optimizer = "Adam";
  std::string sampler = "UniformNegatives";
  bool released = false;

  double alpha = 1;
  double prism_scale = 1;
  double lambda = 1e-6;
  double gamma = 1;
  double gamma1 = prism::MAWU{}.gamma1;
  double gamma2 = prism::MAWU{}.gamma2;
  double tau = -1;  // below 0: the loss's own default
  bool log_q = false;
  double bsl_power = 1;
  bool bsl_each_pair = false;
  std::string psl_surrogate = "tanh";  // a key of surrogates
  std::size_t slk_k = prism::SLK{}.k;
  double slk_tau_w = prism::SLK{}.tau_w;
  bool slk_constant_weight = false;
  std::size_t slk_quantile_negatives = prism::SLK{}.quantile_negatives;
  std::size_t slk_refresh_epochs = prism::SLK{}.refresh_epochs;
  double ccl_margin = prism::CCL{}.margin;
  double ccl_weight = prism::CCL{}.weight;
  double ultragcn_weight = prism::UltraGCN{}.weight;
  double ultragcn_w1 = prism::UltraGCN{}.w1;
  double ultragcn_w2 = prism::UltraGCN{}.w2;
  double ultragcn_w3 = prism::UltraGCN{}.w3;
  double ultragcn_w4 = prism::UltraGCN{}.w4;
  double macr_alpha = 1e-3;
  double macr_beta = 1e-3;
  double macr_c = 1;
  double penalty_weight = -1;  // below 0: the penalty's own default
  double ipl_gamma = 1.285;
  double power = 0.75;
  std::string mask = "own_item";  // a key of masks
  std::optional<std::size_t> negatives;
  std::size_t dim = 64;
  // A number; several, from which validation chooses; or "auto": the library's list.
  std::string rank_power, rank_alpha;
  std::optional<double> rank_exponent;

  double learning_rate = 0;  // 0: derived from the initial rows, see FitOptions
  std::string schedule;      // empty: also follows from the initial rows
  std::size_t batch = 4096;
  std::size_t epochs = 1000;
  std::size_t patience = 10;
  std::size_t min_steps = prism::FitOptions{}.min_steps;
  std::size_t validate_every = 1;  // epochs
  bool validate_by_cosine = false;
  std::uint64_t seed = 123;
  std::optional<std::size_t> threads;
  std::string device = "host";  // or "cuda"
  std::string warm_start;       // folder of a saved model
  bool retrain = false;
  bool aggregate = false;

  // The values given to options that take lists: "lr" -> 0.1, 0.01.
  std::map<std::string, std::vector<double>> lists;
  std::vector<std::uint64_t> seeds{123};
  bool tune = false;
  std::size_t first_epochs = 0;
  std::string records;

  std::string json;
  std::string report;           // an HTML page
  std::string log;              // a line for each epoch
  std::vector<std::size_t> at;  // lengths of lists, beside 20, that --json has results for
  bool user_metrics = false;    // whether --json has those of each user
  std::string save;
  std::string checkpoint;
  bool resume = false;
  std::string description;       // of all options that results depend on
  std::string data_description;  // of the interactions
  bool quiet = false;

  /// Whether the test set is given, not drawn.
  [[nodiscard]] bool test_is_given() const { return !test.empty() || !test_column.empty(); }
  /// The option that gives the test set.
  [[nodiscard]] const char* test_option() const {
    return test.empty() ? "--test-column" : "--test";
  }

  /// Whether models are run as trials: with --tune, --records, several seeds or several values.
  [[nodiscard]] bool trials() const {
    const auto several = [](const auto& list) { return list.second.size() > 1; };
    return tune || !records.empty() || seeds.size() > 1 || std::ranges::any_of(lists, several);
  }

  /// The ranking that the options set.
  [[nodiscard]] prism::Ranking ranking() const;

  /// The models to train: one; or, if neither regularizer, initializer nor ranking is set, the
  /// paper's comparison and magnitudes from popularity after training.
  [[nodiscard]] std::vector<ModelChoice> models() const {
    const bool ranks = !rank_power.empty() || !rank_alpha.empty() || rank_exponent;
    if (regularizer || initializer || ranks) {
      return {{backbone, loss, regularizer.value_or("None"), initializer.value_or("Xavier"),
               ranking()}};
    }
    return {{backbone, loss, "None", "Xavier"},
            {backbone, loss, "FullWD", "Xavier"},
            {backbone, loss, "None", "PRISM"},
            {backbone, loss, "None", "Xavier", prism::power_by_validation()}};
  }
};

/// An option of the command line that takes a list, and what it sets.
struct ListOption {
  using Value = double Settings::*;  // named, because nvcc's output otherwise causes a warning

  const char* name;  // "lr" for --lr
  Value value;
};
inline constexpr std::array<ListOption, 14> list_options{{
    {"lr", &Settings::learning_rate},
    {"lambda", &Settings::lambda},
    {"alpha", &Settings::alpha},
    {"prism-scale", &Settings::prism_scale},
    {"gamma", &Settings::gamma},
    {"gamma1", &Settings::gamma1},
    {"gamma2", &Settings::gamma2},
    {"tau", &Settings::tau},
    {"simplex-own-weight", &Settings::simplex_own_weight},
    {"slk-tau-w", &Settings::slk_tau_w},
    {"ccl-margin", &Settings::ccl_margin},
    {"ccl-weight", &Settings::ccl_weight},
    {"ultragcn-weight", &Settings::ultragcn_weight},
    {"penalty-weight", &Settings::penalty_weight},
}};

/// Whether a model uses what an option sets.
[[nodiscard]] bool reads(const Settings& settings, const ModelChoice& model,
                         const std::string& option);

/// Settings with one value from each list, and these values.
struct Combination {
  Settings settings;
  prism::Configuration configuration{};
};

/// Every combination of values from the lists that a model reads, with the first seed.
[[nodiscard]] std::vector<Combination> combinations(const Settings& settings,
                                                    const ModelChoice& model);

/// "MF-DirectAU-None-PRISM", "MF-DirectAU-None-Xavier-power_by_validation"
[[nodiscard]] std::string file_name(const ModelChoice& model);
/// A model's folder within that of --save, and its file within that of --checkpoint.
[[nodiscard]] std::filesystem::path model_folder(const Settings& settings,
                                                 const ModelChoice& model);
[[nodiscard]] std::filesystem::path checkpoint_file(const Settings& settings,
                                                    const ModelChoice& model);

/// Declares the options; parsing writes their values to `settings`.
void declare_options(CLI::App& app, Settings& settings);

}  // namespace experiment
