// SPDX-License-Identifier: BSD-3-Clause
// What the paper ("On the Role of Weight Decay in Collaborative Filtering: A Popularity
// Perspective", KDD 2025) ran, as data: its data sets, search spaces, tables and figures.
#pragma once

#include <optional>
#include <prism/core/index.hpp>
#include <prism/loss/mawu.hpp>
#include <string>
#include <vector>

#include "experiment/settings.hpp"

namespace reproduce {

struct DataSet {
  std::string name;   // "movielens1m", the folder of its file
  std::string title;  // "MovieLens 1M"
  std::string file;   // in that folder; empty: synthetic data
  std::optional<double> min_rating{};
  double ipl_gamma = experiment::Settings{}.ipl_gamma;
  std::vector<double> mawu_gamma1{prism::MAWU{}.gamma1}, mawu_gamma2{prism::MAWU{}.gamma2};
  prism::Index synthetic_users = 0, synthetic_items = 0;  // where there is no file
};
[[nodiscard]] const std::vector<DataSet>& data_sets();

/// The learning rates from which the paper chooses.
inline const std::vector<double> learning_rates{0.1, 0.01, 0.001};

/// The one learning rate of models whose magnitudes are written after training.
inline constexpr double rate_after_training = 0.01;

/// A value that the paper prints.
struct Published {
  std::string data, backbone, loss;
  bool prism;  // otherwise decay
  double ndcg;
};
[[nodiscard]] std::optional<double> published(const std::string& data, const std::string& backbone,
                                              const std::string& loss, bool prism);

/// Follows the paper's text; its published code, where that differs; or the text, with the
/// hyperparameters chosen on Gowalla instead of a search.
enum class Protocol { text, code, transferred };
[[nodiscard]] const char* name_of(Protocol protocol);

/// A cell of Table 1: the best decay and PRISM, both tuned.
struct Cell {
  DataSet data;
  std::string backbone, loss;
  Protocol protocol;

  /// "table1/movielens1m/MF/SSM/text"
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] std::vector<Cell> table1_cells();

/// The cell whose chosen hyperparameters a transferred cell takes over.
[[nodiscard]] Cell source_of(const Cell& transferred);

/// The settings of a cell's models, including the lists of the paper's search space.
[[nodiscard]] experiment::Settings cell_settings(const Cell& cell);

/// Whether PRISM's candidates, which have no decay to be searched, are all trained to the end:
/// where the first rung would come before PRISM has learnt anything at the lowest learning rate.
[[nodiscard]] bool trains_all_of_prism(const Cell& cell);

/// What a figure shows over its parameter.
enum class Shown {
  strata,      // NDCG@20 and the parts of it due to each stratum
  quality,     // NDCG@20 by dot product and by cosine, and the best epoch
  ratio,       // the unpopular stratum's part divided by the popular one's
  magnitudes,  // mean item magnitude over popularity
  curves,      // validation NDCG@20 by dot product and by cosine over epochs
  rates,       // NDCG@20 with the default learning rate and with constant ones
};

/// Models that a figure compares.
struct Series {
  std::string title;
  experiment::ModelChoice model;
  double learning_rate;
  std::size_t batch;
  std::vector<double> values{};  // of the figure's parameter; empty: one run
  double lambda = 1e-6;
  double alpha = 1;
  std::optional<std::string> penalty{};
};

struct Figure {
  std::string name, title, caption;
  Shown shown;
  std::string parameter{};  // a list option of experiment: "lambda", "alpha"
  std::vector<Series> series{};
};
/// The figures of one data set; their names end in "/" and the name of the data set.
[[nodiscard]] std::vector<Figure> figures(const DataSet& data);

/// The settings of a series on a data set, without the parameter.
[[nodiscard]] experiment::Settings series_settings(const Series& series, const DataSet& data);

}  // namespace reproduce
