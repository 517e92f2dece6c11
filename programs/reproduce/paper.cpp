// SPDX-License-Identifier: BSD-3-Clause
#include "paper.hpp"

#include <algorithm>
#include <prism/core/error.hpp>
#include <prism/sampler/in_batch.hpp>
#include <utility>

namespace reproduce {

namespace {

const std::vector<double> decays{0, 1e-8, 1e-6, 1e-4};
const std::vector<double> directau_gammas{1, 2, 5};
const std::vector<double> alphas{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5};

/// The paper's batch sizes: for losses over pairs of rows, and for losses with negatives.
std::size_t batch_of(const std::string& loss) {
  return loss == "DirectAU" || loss == "MAWU" ? 4096 : 16384;
}

experiment::ModelChoice model(std::string backbone, std::string loss, std::string regularizer,
                              std::string initializer) {
  return {std::move(backbone), std::move(loss), std::move(regularizer), std::move(initializer)};
}

Series decay_series(const std::string& backbone, const std::string& loss, bool batched,
                    std::vector<double> values) {
  const std::string regularizer = batched ? "BatchedWD" : "FullWD";
  return {.title = backbone + " + " + loss + (batched ? ", batched decay" : ", full decay"),
          .model = model(backbone, loss, regularizer, "Xavier"),
          .learning_rate = 0.01,
          .batch = batch_of(loss),
          .values = std::move(values)};
}

Series prism_series(const std::string& loss, std::vector<double> values) {
  return {.title = "MF + " + loss + ", PRISM",
          .model = model("MF", loss, "None", "PRISM"),
          .learning_rate = 0.001,
          .batch = batch_of(loss),
          .values = std::move(values)};
}

}  // namespace

const std::vector<DataSet>& data_sets() {
  // MAWU: the paper's values if it gives any, else part of its authors' grid, [0, 2] in steps of
  // 0.1.
  static const std::vector<double> authors_grid{0.2, 0.6, 1};
  static const std::vector<DataSet> all{
      {"movielens1m", "MovieLens 1M", "ratings.dat.gz", 3, 1.826, authors_grid, authors_grid},
      {"gowalla", "Gowalla", "interactions.tsv.gz", {}, 1.285, {2.6}, {1.4}},
      {"yelp2018", "Yelp2018", "interactions.tsv.gz", {}, 1.552, {0.8}, {0.6}},
      {"amazonbook", "Amazon-Book", "interactions.tsv.gz", {}, 1.446, authors_grid, authors_grid},
  };
  return all;
}

std::optional<double> published(const std::string& data, const std::string& backbone,
                                const std::string& loss, bool prism) {
  static const std::vector<Published> values{
      {"movielens1m", "MF", "SSM", false, 0.3061},
      {"movielens1m", "MF", "SSM", true, 0.3002},
      {"movielens1m", "MF", "DirectAU", false, 0.2406},
      {"movielens1m", "MF", "MAWU", false, 0.2455},
      {"movielens1m", "MF", "MAWU", true, 0.2376},
  };
  for (const Published& value : values) {
    if (value.data == data && value.backbone == backbone && value.loss == loss &&
        value.prism == prism) {
      return value.ndcg;
    }
  }
  return std::nullopt;
}

const char* name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::text:
      return "text";
    case Protocol::code:
      return "code";
    case Protocol::transferred:
      return "transferred";
  }
  return "";
}

std::string Cell::name() const {
  return "table1/" + data.name + "/" + backbone + "/" + loss + "/" + name_of(protocol);
}

std::vector<Cell> table1_cells() {
  std::vector<Cell> cells;
  for (const Protocol protocol : {Protocol::text, Protocol::code}) {
    for (const DataSet& data : data_sets()) {
      for (const char* backbone : {"MF", "MLP"}) {
        for (const char* loss : {"SSM", "DirectAU", "MAWU"}) {
          cells.push_back({data, backbone, loss, protocol});
        }
      }
    }
  }
  // The cells of MF on the larger data sets, without a search.
  for (const DataSet& data : data_sets()) {
    if (data.name != "yelp2018" && data.name != "amazonbook") continue;
    for (const char* loss : {"SSM", "DirectAU", "MAWU"}) {
      cells.push_back({data, "MF", loss, Protocol::transferred});
    }
  }
  return cells;
}

Cell source_of(const Cell& transferred) {
  const auto gowalla = std::ranges::find(data_sets(), "gowalla", &DataSet::name);
  return {*gowalla, transferred.backbone, transferred.loss, Protocol::text};
}

experiment::Settings cell_settings(const Cell& cell) {
  experiment::Settings settings;
  settings.backbone = cell.backbone;
  settings.loss = cell.loss;
  settings.batch = batch_of(cell.loss);
  settings.lists["lr"] = learning_rates;
  settings.lists["lambda"] = decays;
  settings.first_epochs = 30;
  if (cell.loss == "DirectAU") {
    settings.lists["gamma"] = directau_gammas;
    if (cell.data.name != "movielens1m") settings.first_epochs = 10;  // 45 candidates, long epochs
  }
  if (cell.loss == "MAWU") {
    settings.lists["gamma1"] = cell.data.mawu_gamma1;
    settings.lists["gamma2"] = cell.data.mawu_gamma2;
    if (cell.data.mawu_gamma1.size() > 1) settings.first_epochs = 10;  // 135 candidates
  }
  settings.min_rating = cell.data.min_rating;
  if (cell.protocol == Protocol::code) {
    settings.released = true;
    settings.sampler = prism::InBatchNegatives::name;
    settings.activation = "Identity";
    settings.min_rating.reset();
  }
  return settings;
}

bool trains_all_of_prism(const Cell& cell) {
  return cell.protocol != Protocol::code && cell.backbone == "MF" && cell.loss == "DirectAU" &&
         cell.data.name != "movielens1m";
}

std::vector<Figure> figures(const DataSet& data) {
  const std::string at = "/" + data.name, on = " on " + data.title;
  const experiment::ModelChoice prism = model("MF", "DirectAU", "None", "PRISM");
  const std::vector<Series> over_alpha{prism_series("DirectAU", alphas),
                                       prism_series("SSM", alphas)};
  std::vector<Figure> all;

  Figure decay{.name = "decay" + at,
               .title = "Weight decay and popularity" + on,
               .caption =
                   "NDCG@20 on the test set and its strata over the weight decay. Early "
                   "stopping ends MLP + MAWU on the plateau with which its training begins "
                   "if the validation rises too late for the patience.",
               .shown = Shown::strata,
               .parameter = "lambda"};
  for (const char* backbone : {"MF", "MLP"}) {
    for (const char* loss : {"BPR", "SSM", "DirectAU", "MAWU"}) {
      decay.series.push_back(decay_series(backbone, loss, false, decays));
    }
  }
  all.push_back(decay);

  all.push_back(
      {.name = "magnitudes" + at,
       .title = "Item magnitude and popularity" + on,
       .caption = "Mean magnitude of the items' embeddings over their training popularity, MF + "
                  "DirectAU. With full decay it rises with popularity, without decay and with "
                  "batched decay less; PRISM sets these magnitudes at initialisation.",
       .shown = Shown::magnitudes,
       .series = {
           {"no decay", model("MF", "DirectAU", "None", "Xavier"), 0.01, 4096},
           {"batched decay 1e-6", model("MF", "DirectAU", "BatchedWD", "Xavier"), 0.01, 4096},
           {"full decay 1e-6", model("MF", "DirectAU", "FullWD", "Xavier"), 0.01, 4096},
           {"PRISM", prism, 0.001, 4096},
       }});

  all.push_back({.name = "batched" + at,
                 .title = "Batched against full decay" + on,
                 .caption = "NDCG@20 on the test set over the weight decay: of all rows in every "
                            "step, and of the batch's rows alone.",
                 .shown = Shown::quality,
                 .parameter = "lambda",
                 .series = {decay_series("MF", "DirectAU", false, decays),
                            decay_series("MF", "DirectAU", true, decays),
                            decay_series("MF", "SSM", false, decays),
                            decay_series("MF", "SSM", true, decays)}});

  all.push_back({.name = "epochs" + at,
                 .title = "Quality and epochs over alpha" + on,
                 .caption = "NDCG@20 on the test set, and the best epoch, over PRISM's alpha.",
                 .shown = Shown::quality,
                 .parameter = "alpha",
                 .series = over_alpha});
  all.push_back({.name = "alpha" + at,
                 .title = "Popular and unpopular items over alpha" + on,
                 .caption = "What hits among popular, neutral and unpopular items contribute to "
                            "NDCG@20 over PRISM's alpha.",
                 .shown = Shown::strata,
                 .parameter = "alpha",
                 .series = over_alpha});
  all.push_back({.name = "ratio" + at,
                 .title = "Unpopular to popular" + on,
                 .caption =
                     "NDCG@20 due to the unpopular stratum over that due to the popular one, "
                     "over PRISM's alpha.",
                 .shown = Shown::ratio,
                 .parameter = "alpha",
                 .series = over_alpha});

  all.push_back(
      {.name = "curves" + at,
       .title = "Training" + on,
       .caption = "Validation NDCG@20 over epochs, until early stopping by dot product; MF + "
                  "DirectAU. The dot product depends on magnitudes and angles, the cosine, shown "
                  "where every trial has it, on angles only.",
       .shown = Shown::curves,
       .series = {
           {"no decay", model("MF", "DirectAU", "None", "Xavier"), 0.01, 4096},
           {"full decay 1e-6", model("MF", "DirectAU", "FullWD", "Xavier"), 0.01, 4096},
           {"full decay 1e-6, learning rate 0.001", model("MF", "DirectAU", "FullWD", "Xavier"),
            0.001, 4096},
           {"PRISM, learning rate 0.01", prism, 0.01, 4096},
           {"PRISM, learning rate 0.001", prism, 0.001, 4096},
       }});

  all.push_back({.name = "lightgcn" + at,
                 .title = "LightGCN over the weight decay" + on,
                 .caption = "NDCG@20 of LightGCN with three layers and its strata.",
                 .shown = Shown::strata,
                 .parameter = "lambda",
                 .series = {decay_series("LightGCN", "BPR", false, decays),
                            decay_series("LightGCN", "DirectAU", false, decays)}});

  Series ipl = decay_series("MF", "BPR", false, {});
  ipl.title = "BPR + IPL, full decay";
  ipl.penalty = "IPL";
  Series resn = ipl;
  resn.title = "BPR + ReSN, full decay";
  resn.penalty = "ReSN";
  Series macr = decay_series("MF", "MACR", false, {});
  macr.title = "MACR, full decay";
  Series bpr = decay_series("MF", "BPR", false, {});
  bpr.title = "BPR, full decay";
  Series full = decay_series("MF", "DirectAU", false, {});
  full.title = "DirectAU, full decay";
  Figure debiasing{.name = "debiasing" + at,
                   .title = "De-biasing" + on,
                   .caption =
                       "NDCG@20 on the test set and its strata: penalties and losses "
                       "against popularity bias, with a weight decay of 1e-6, and PRISM at three "
                       "values of alpha. At a learning rate of 0.001, instead of 0.01 here, those "
                       "that use dot products rank better: on MovieLens 1M BPR has 0.2507, IPL "
                       "0.2269 and ReSN 0.2223 (in [quality.md](quality.md)).",
                   .shown = Shown::strata,
                   .series = {bpr, ipl, resn, macr, full}};
  for (const double alpha : {0.5, 0.75, 1.0}) {
    Series series = prism_series("DirectAU", {});
    series.title = "DirectAU, PRISM<" + prism::format_number(alpha) + ">";
    series.alpha = alpha;
    debiasing.series.push_back(series);
  }
  all.push_back(debiasing);
  return all;
}

experiment::Settings series_settings(const Series& series, const DataSet& data) {
  experiment::Settings settings;
  settings.backbone = series.model.backbone;
  settings.loss = series.model.loss;
  settings.regularizer = series.model.regularizer;
  settings.initializer = series.model.initializer;
  settings.learning_rate = series.learning_rate;
  settings.batch = series.batch;
  settings.lambda = series.lambda;
  settings.alpha = series.alpha;
  settings.penalty = series.penalty;
  settings.ipl_gamma = data.ipl_gamma;
  settings.gamma1 = data.mawu_gamma1.front();
  settings.gamma2 = data.mawu_gamma2.front();
  settings.min_rating = data.min_rating;
  return settings;
}

}  // namespace reproduce
