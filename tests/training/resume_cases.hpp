// SPDX-License-Identifier: BSD-3-Clause
// Runs that are saved at some moment and resumed, compared with the same run uninterrupted.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"

namespace test {

inline const prism::Split& resume_split() {
  static const prism::Split split =
      prism::random_split(prism::synthetic_interactions(
                              {.users = 120, .items = 90, .interactions_per_user = 8, .seed = 5}),
                          {.validation = 0.1, .test = 0.1, .seed = 1});
  return split;
}

/// The bits of all weights.
template <class Model>
std::vector<std::uint64_t> bits_of(Model& model) {
  std::vector<std::uint64_t> bits;
  const auto add = [&](const auto* values, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      bits.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(values[k])));
    }
  };
  const auto add_parameter = [&](const auto& parameter) {
    add(parameter.rows.data(), parameter.rows.num_elements());
  };
  add(model.users().data(), model.users().size());
  add(model.items().data(), model.items().size());
  model.weights().backbone.for_each_parameter(add_parameter);
  model.weights().loss.for_each_parameter(add_parameter);
  return bits;
}

/// All results of a run except wall-clock times.
struct Trace {
  std::vector<std::uint64_t> numbers;  // of history and report
  std::vector<std::uint64_t> weights;  // that the model ends with
  std::map<std::size_t, std::vector<std::uint64_t>>
      weights_after;  // an epoch, those that were seen

  void add(double value) { numbers.push_back(std::bit_cast<std::uint64_t>(value)); }

  template <class Model>
  void finish(Model& model, const prism::History& history) {
    for (const prism::EpochRecord& record : history.epochs) {
      for (const double value : {record.loss, record.validation_ndcg, record.validation})
        add(value);
      add(record.validation_by_cosine.value_or(-1));
      numbers.push_back(record.epoch);
      numbers.push_back(record.best);
    }
    numbers.push_back(history.best_epoch);
    add(history.best_validation_ndcg);
    add(history.best_validation);
    numbers.push_back(static_cast<std::uint64_t>(history.stop_reason));
    numbers.push_back(history.warnings.size());
    const prism::Report report =
        prism::evaluate(model, resume_split().test,
                        {.exclude = {&resume_split().train, &resume_split().validation}});
    for (const double value : {report.ndcg, report.recall, report.precision, report.mrr,
                               report.hit_rate, report.coverage, report.gini}) {
      add(value);
    }
    weights = bits_of(model);
  }
};

/// Collects weights epoch by epoch; saves after the given steps and epochs.
template <class Session>
struct Watch {
  Session& session;
  Trace& trace;
  std::map<std::size_t, std::string> save_at_step{};
  std::map<std::size_t, std::string> save_after_epoch{};

  void batch(const prism::EpochProgress&) {
    if (const auto place = save_at_step.find(session.steps()); place != save_at_step.end()) {
      session.save(place->second);
    }
  }
  template <class Model>
  void epoch(const prism::EpochRecord& record, const Model& model) {
    trace.weights_after[record.epoch] = bits_of(const_cast<Model&>(model));
    if (const auto place = save_after_epoch.find(record.epoch); place != save_after_epoch.end()) {
      session.save(place->second);
    }
  }
};

/// Whether all that both saw of the run is the same.
inline bool same(const Trace& resumed, const Trace& whole) {
  for (const auto& [epoch, weights] : resumed.weights_after) {
    if (weights != whole.weights_after.at(epoch)) return false;
  }
  return resumed.numbers == whole.numbers && resumed.weights == whole.weights;
}

/// Saves a run at several moments, and compares each resumed run with the uninterrupted one.
template <class Model>
void check_resume(const typename Model::Options& options, const prism::FitOptions& fitting) {
  using Session = prism::TrainingSession<Model>;
  const prism::Split& split = resume_split();
  const TemporaryFile place("");
  INFO(prism::name_of(options));

  Trace whole;
  std::size_t steps_per_epoch = 0;
  {
    Model model(split.train, options);
    Session session(model, split, fitting);
    session.run(Watch<Session>{session, whole});
    steps_per_epoch = session.history().steps_per_epoch;
    REQUIRE(session.steps() >= 3 * steps_per_epoch);
    whole.finish(model, session.history());
  }
  REQUIRE(steps_per_epoch > 3);

  std::vector<std::string> saved;
  const auto file = [&](const char* name) {
    return saved.emplace_back((place.folder() / name).string());
  };
  {
    Model model(split.train, options);
    Session session(model, split, fitting);
    Trace trace;
    session.run(Watch<Session>{session,
                               trace,
                               {{1, file("first")},
                                {steps_per_epoch + 2, file("within")},
                                {2 * steps_per_epoch, file("before_end")}},
                               {{2, file("after_epoch")}}});
    trace.finish(model, session.history());
    CHECK(same(trace, whole));  // saving changes nothing
    session.save(file("over"));
  }
  for (const std::string& path : saved) {
    INFO("resumed from ", path);
    Model model(split.train, options);
    Session session = Session::resume(path, model, split, fitting);
    Trace trace;
    session.run(Watch<Session>{session, trace});
    trace.finish(model, session.history());
    CHECK(same(trace, whole));
  }
}

using ChosenOptimizer =
    prism::OneOptimizer<prism::Adam, prism::DenseAdam, prism::PartialRowWiseAdam, prism::SGD>;
using ChosenRegularizer = prism::OneRegularizer<prism::None, prism::FullWD>;

/// A backbone and a loss with each optimizer, without decay and with.
template <class Backbone, class Loss>
void check_resume() {
  using Model =
      prism::Recommender<Backbone, Loss, ChosenRegularizer, prism::Xavier, ChosenOptimizer>;
  for (const ChosenOptimizer& optimizer :
       {ChosenOptimizer(prism::Adam{}), ChosenOptimizer(prism::DenseAdam{}),
        ChosenOptimizer(prism::PartialRowWiseAdam{}), ChosenOptimizer(prism::SGD{})}) {
    for (const ChosenRegularizer& regularizer :
         {ChosenRegularizer(prism::None{}), ChosenRegularizer(prism::FullWD{1e-3})}) {
      check_resume<Model>(
          {.backbone = with_dim<Backbone>(11), .regularizer = regularizer, .optimizer = optimizer},
          {.learning_rate = 0.02, .batch_size = 150, .epochs = 4});
    }
  }
}

}  // namespace test
