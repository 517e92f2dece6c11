// SPDX-License-Identifier: BSD-3-Clause
#include "negatives.hpp"

namespace reproduce {

std::string Benchmark::name() const {
  return data.name + (test == TestPart::lightgcn ? "/lightgcn" : "/random");
}

std::string Benchmark::title() const {
  return data.title + (test == TestPart::lightgcn ? ", LightGCN split" : ", 80/20 at random");
}

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = [] {
    std::vector<Benchmark> made;
    for (const DataSet& data : data_sets()) {
      if (data.name == "movielens1m") continue;  // no author of the losses uses it like this
      made.push_back({data, TestPart::lightgcn});
      if (data.name == "gowalla") made.push_back({data, TestPart::random});
    }
    return made;
  }();
  return all;
}

std::string NegativesCell::name() const { return "negatives/" + benchmark.name() + "/" + loss; }

std::vector<NegativesCell> negatives_cells(const Benchmark& benchmark) {
  std::vector<NegativesCell> cells;
  for (const char* loss : {"SSM", "BSL", "PSL", "SLK", "CCL", "UltraGCN"}) {
    cells.push_back({benchmark, loss});
  }
  return cells;
}

experiment::Settings cell_settings(const NegativesCell& cell) {
  experiment::Settings settings;
  settings.loss = cell.loss;
  settings.sampler = "SharedUniformNegatives";
  settings.negatives = 1024;
  settings.mask = "seen_items";
  settings.retrain = true;
  if (cell.benchmark.test == TestPart::lightgcn) {
    settings.test_column = "2";
    settings.validation_part = 0.1;  // of the training set
  } else {
    settings.validation_part = 0.08;
    settings.test_part = 0.2;
  }

  const std::string& data = cell.benchmark.data.name;
  // An epoch takes two to six times as long on the other data.
  settings.lists["lr"] = data == "gowalla" ? std::vector{0.003, 0.01} : std::vector{0.01};
  // At 0.003, models with PRISM have hardly begun to learn after 10.
  settings.first_epochs = data == "gowalla" ? 40 : 10;
  settings.lists["tau"] = {0.08, 0.1};
  // Its authors' for Gowalla and Yelp2018.
  if (cell.loss == "BSL") settings.bsl_power = data == "yelp2018" ? 1.1 : 1.22;
  if (cell.loss == "PSL") settings.lists["tau"] = {0.04, 0.05};  // it halves its score differences
  if (cell.loss == "SLK") {
    settings.slk_tau_w = 1;
    settings.slk_constant_weight = true;
    settings.slk_refresh_epochs = 5;
  }
  if (cell.loss == "CCL") {
    settings.first_epochs = 30;  // after 10, the margins do not differ yet
    // At 0.01, training ends after a few epochs.
    settings.lists["lr"] = data == "gowalla" ? std::vector{0.001, 0.003} : std::vector{0.003};
    // 0.9 is the default; on Gowalla a smaller margin ranks better.
    settings.lists["ccl-margin"] = {data == "amazonbook" ? 0.2 : 0.4, 0.9};
    settings.ccl_weight = data == "amazonbook" ? 250 : 150;
  }
  if (cell.loss == "UltraGCN") {
    // On Gowalla the validation goes up to 19 epochs without improvement before it rises.
    settings.first_epochs = 40;
    settings.patience = 30;
    settings.lists["ultragcn-weight"] = {100, 300};
    settings.lists["prism-scale"] = {0.02, 0.1};  // its logits are dot products
  }
  return settings;
}

const std::vector<PublishedModel>& published_models() {
  static const std::vector<PublishedModel> all{
      {"gowalla/lightgcn", "softmax loss, tau 0.08", 0.1395, 0.1759},
      {"gowalla/lightgcn", "SimpleX (CCL, user's history)", 0.1557},
      {"gowalla/lightgcn", "UltraGCN (graph of items)", 0.1580},
      {"gowalla/lightgcn", "BSL", 0.1584, 0.1882},
      {"gowalla/lightgcn", "BSPM-EM (graph filter)", 0.1597, 0.1920},
      {"gowalla/lightgcn", "NESCL (graph)", 0.1617, 0.1917},
      {"gowalla/random", "BPR", 0.1111},
      {"gowalla/random", "softmax loss, tau 0.1", 0.1624, 0.2064},
      {"gowalla/random", "SL@20", 0.1709, 0.2121},
      {"yelp2018/lightgcn", "BSL", 0.0599, 0.0725},
      {"yelp2018/lightgcn", "XSimGCL (graph)", 0.0604},
      {"yelp2018/lightgcn", "NESCL (graph)", 0.0611, 0.0743},
      {"amazonbook/lightgcn", "SimpleX (CCL, user's history)", 0.0468},
      {"amazonbook/lightgcn", "SLIM (items by items)", 0.0602},
  };
  return all;
}

}  // namespace reproduce
