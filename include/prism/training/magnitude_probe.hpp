// SPDX-License-Identifier: BSD-3-Clause
// Observes, during fit, how popularity enters the magnitudes of items.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/evaluate/correlation.hpp"
#include "prism/evaluate/evaluate.hpp"
#include "prism/evaluate/strata.hpp"
#include "prism/policy/output.hpp"
#include "prism/training/expected_epoch_change.hpp"
#include "prism/training/history.hpp"
#include "prism/training/observer.hpp"

namespace prism::inline PRISM_ISA {

/// Items of similar popularity, during one epoch. Changes are of the mean squared magnitude.
struct MagnitudeBucket {
  Index least_popular = 0;  ///< training interactions
  Index most_popular = 0;
  std::size_t items = 0;
  double magnitude = 0;  ///< mean |i| at the epoch's end
  double measured = 0;   ///< change of |i|^2 since the previous epoch
  /// What the theorem predicts, the mean of its rates at both ends of the epoch: with at most one
  /// update of an item in a step, and with every pair. Unset if it does not cover the model.
  std::optional<double> predicted{};
  std::optional<double> predicted_every_pair{};
};

/// The state after an epoch.
struct MagnitudeRecord {
  std::size_t epoch = 0;  ///< 0: before the first
  double pearson = 0;     ///< of |i| with log(d + 2)
  double spearman = 0;
  /// NDCG@k on the validation set; 0 without one, and in epochs that FitOptions::validate_every
  /// leaves out.
  double ndcg_by_dot = 0;
  double ndcg_by_cosine = 0;  ///< the same, of every epoch; 0 without a validation set or `rank`
  std::vector<MagnitudeBucket> buckets{};  ///< least popular first
};

/// Options of MagnitudeProbe.
struct MagnitudeProbeOptions {
  std::size_t buckets = 10;  ///< of equal numbers of items, as far as possible; at
                             ///< least 1; some stay empty if there are fewer items
  bool rank = true;          ///< whether to rank by cosine too, by far the costliest part
};

/// An observer of fit that records magnitudes against popularity, before the first epoch and after
/// each. A probe observes one session, and continues its records if the session continues. If the
/// session has done epochs that the probe has not observed, the first record is the state after
/// these epochs, under their number. It has the theorem's predictions for the models that the
/// theorem covers: rows trained as they are (MF), by Cosine, Dot or Euclidean, with SGD.
class MagnitudeProbe {
 public:
  /// @param split  the one that fit gets; must outlive the probe
  /// @throws ArgumentError  for no buckets
  explicit MagnitudeProbe(const Split& split, MagnitudeProbeOptions options = {})
      : split_(&split), options_(options) {
    require_at_least_one("buckets", options.buckets);
    const std::span<const Index> popularity = split.train.item_degree();
    const std::vector<Index> order = by_popularity(popularity);
    bucket_.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      bucket_[order[place]] =
          options.buckets - 1 - place * options.buckets / std::max<std::size_t>(1, order.size());
    }
    for (const Index d : popularity) log_popularity_.push_back(std::log(d + 2.0));
  }

  MagnitudeProbe(const Split&&, MagnitudeProbeOptions = {}) = delete;

  /// @throws ArgumentError  if the model is trained on another split
  template <class Model>
  void begin(const FitInfo& info, const Model& model) {
    const Interactions& train = model.train();
    require(split_->train.size() == train.size() && split_->train.users() == train.users() &&
                std::ranges::equal(split_->train.item_degree(), train.item_degree()),
            "split", "must be the one that the model is trained on");
    info_ = info;
    const std::size_t done = info.epochs_done;
    if (done > 0 && !records_.empty() && records_.back().epoch == done) return;
    records_.clear();
    square_.clear();
    growth_.clear();
    record(done, model, ndcg(model, Similarity::dot));
  }

  template <class Model>
  void epoch(const EpochRecord& done, const Model& model) {
    require(!records_.empty(), "observers",
            "must include the MagnitudeProbe from the session's first step() on, or in run()");
    record(done.epoch, model, done.validation_ndcg);
  }

  /// A record of the state before the first epoch that the probe observes, and one after each
  /// epoch.
  [[nodiscard]] const std::vector<MagnitudeRecord>& records() const noexcept { return records_; }

 private:
  template <class Model>
  double ndcg(const Model& model, Similarity similarity) const {
    if (split_->validation.empty()) return 0;
    return evaluate(model, split_->validation, {.k = info_.k, .similarity = similarity}).ndcg;
  }

  template <class Model>
  void record(std::size_t epoch, const Model& model, double ndcg_by_dot) {
    const Output<typename Model::scalar_type> output = model.output();
    const std::vector<double> magnitude = magnitudes(output.items());
    MagnitudeRecord now{.epoch = epoch,
                        .pearson = pearson(magnitude, log_popularity_),
                        .spearman = spearman(magnitude, log_popularity_),
                        .ndcg_by_dot = ndcg_by_dot,
                        .ndcg_by_cosine = options_.rank ? ndcg(model, Similarity::cosine) : 0};
    std::vector<double> square(magnitude);
    for (double& x : square) x *= x;
    std::vector<detail::ExpectedEpochChange> growth = detail::expected_epoch_change(model, info_);
    now.buckets = buckets(magnitude, square, growth);
    records_.push_back(std::move(now));
    square_ = std::move(square);
    growth_ = std::move(growth);
  }

  std::vector<MagnitudeBucket> buckets(std::span<const double> magnitude,
                                       std::span<const double> square,
                                       std::span<const detail::ExpectedEpochChange> growth) const {
    std::vector<MagnitudeBucket> buckets(options_.buckets);
    const std::span<const Index> popularity = split_->train.item_degree();
    for (std::size_t i = 0; i < bucket_.size(); ++i) {
      MagnitudeBucket& bucket = buckets[bucket_[i]];
      const bool first = bucket.items++ == 0;
      bucket.least_popular = first ? popularity[i] : std::min(bucket.least_popular, popularity[i]);
      bucket.most_popular = std::max(bucket.most_popular, popularity[i]);
      bucket.magnitude += magnitude[i];
      if (square_.empty()) continue;
      bucket.measured += square[i] - square_[i];
      if (growth.empty()) continue;
      bucket.predicted =
          bucket.predicted.value_or(0) + (growth[i].at_most_one + growth_[i].at_most_one) / 2;
      bucket.predicted_every_pair = bucket.predicted_every_pair.value_or(0) +
                                    (growth[i].every_pair + growth_[i].every_pair) / 2;
    }
    for (MagnitudeBucket& bucket : buckets) {
      const double n = static_cast<double>(std::max<std::size_t>(1, bucket.items));
      bucket.magnitude /= n;
      bucket.measured /= n;
      if (bucket.predicted) *bucket.predicted /= n;
      if (bucket.predicted_every_pair) *bucket.predicted_every_pair /= n;
    }
    return buckets;
  }

  const Split* split_;
  MagnitudeProbeOptions options_;
  std::vector<std::size_t> bucket_;     // of each item
  std::vector<double> log_popularity_;  // of each item
  FitInfo info_{};
  std::vector<double> square_;  // |i|^2 at the last record
  std::vector<detail::ExpectedEpochChange> growth_;
  std::vector<MagnitudeRecord> records_;
};

}  // namespace prism::inline PRISM_ISA
