// SPDX-License-Identifier: BSD-3-Clause
// Losses with many negatives, which all pairs of a batch share, beside published results: the runs,
// as data. None uses weight decay. Xavier and PRISM have the same search, except for PRISM's
// scale with UltraGCN.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/settings.hpp"
#include "paper.hpp"

namespace reproduce {

enum class TestPart {
  lightgcn,  // the published split of He et al., SIGIR 2020
  random,    // a fifth of all interactions, as in Yang et al., KDD 2025
};

/// Data with a test set.
struct Benchmark {
  DataSet data;
  TestPart test;

  /// "gowalla/lightgcn"
  [[nodiscard]] std::string name() const;
  /// "Gowalla, LightGCN split"
  [[nodiscard]] std::string title() const;
};
[[nodiscard]] const std::vector<Benchmark>& benchmarks();

/// MF with a loss, initialised by Xavier and by PRISM.
struct NegativesCell {
  Benchmark benchmark;
  std::string loss;

  /// "negatives/gowalla/lightgcn/SLK"
  [[nodiscard]] std::string name() const;
};
[[nodiscard]] std::vector<NegativesCell> negatives_cells(const Benchmark& benchmark);

/// The settings of a cell's models, including the lists of the search space.
[[nodiscard]] experiment::Settings cell_settings(const NegativesCell& cell);

/// A published model, of 64 dimensions if it has embeddings.
struct PublishedModel {
  std::string benchmark;  // Benchmark::name()
  std::string model;      // in brackets: what it has besides MF and the loss
  double ndcg;
  std::optional<double> recall{};
};
[[nodiscard]] const std::vector<PublishedModel>& published_models();

}  // namespace reproduce
