// SPDX-License-Identifier: BSD-3-Clause
// Policies, rankings, options of training, and models in training.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <prism/core/error.hpp>
#include <prism/evaluate/report.hpp>
#include <prism/models/any_recommender.hpp>
#include <prism/models/make_model.hpp>
#include <prism/models/model_spec.hpp>
#include <prism/policy/ranking.hpp>
#include <prism/training/fit_options.hpp>
#include <prism/training/schedule.hpp>
#include <prism/training/stop_rules.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "module.hpp"

namespace prismcf {

namespace {

using namespace prism;

/// Finds a value by its name.
/// @throws ArgumentError  if there is none; the message lists the names
template <class Value, std::size_t Count>
Value by_name(const char* argument,
              const std::array<std::pair<std::string_view, Value>, Count>& all,
              const std::string& name) {
  std::string names;
  for (const auto& [known, value] : all) {
    if (known == name) return value;
    names.append(names.empty() ? "" : ", ").append(known);
  }
  throw ArgumentError(argument, "must be one of " + names + ", not '" + name + "'");
}

Schedule schedule_of(const std::string& name) {
  if (name == "constant") return ConstantSchedule{};
  if (name == "cosine") return CosineSchedule{};
  if (name == "plateau") return PlateauSchedule{};
  throw ArgumentError("schedule", "must be one of constant, cosine, plateau, not '" + name + "'");
}

constexpr std::array<std::pair<std::string_view, double Report::*>, 5> metrics{
    {{"ndcg", &Report::ndcg},
     {"recall", &Report::recall},
     {"precision", &Report::precision},
     {"mrr", &Report::mrr},
     {"hit_rate", &Report::hit_rate}}};

nb::dict to_dict(const EpochRecord& record) {
  nb::dict values;
  values["epoch"] = record.epoch;
  values["loss"] = record.loss;
  values["validation"] = record.validated ? nb::cast(record.validation) : nb::none();
  values["chosen"] = nb::cast(record.chosen);
  values["best"] = record.best;
  values["train_seconds"] = record.train_seconds;
  values["validate_seconds"] = record.validate_seconds;
  return values;
}

nb::dict to_dict(const History& history) {
  nb::list epochs;
  for (const EpochRecord& record : history.epochs) epochs.append(to_dict(record));
  nb::dict values;
  values["epochs"] = epochs;
  values["best_epoch"] = history.best_epoch;
  values["best_validation"] = history.best_validation;
  values["best_chosen"] = nb::cast(history.best_chosen);
  values["steps_per_epoch"] = history.steps_per_epoch;
  values["seconds"] = history.seconds;
  values["stop_reason"] = name_of(history.stop_reason);
  values["warnings"] = history.warnings;
  return values;
}

nb::dict to_dict(const FitInfo& info) {
  nb::dict values;
  values["model"] = info.model;
  values["pairs"] = info.pairs;
  values["epochs"] = info.epochs;
  values["learning_rate"] = info.learning_rate;
  values["metric"] = info.metric + "@" + std::to_string(info.k);
  values["has_validation"] = info.has_validation;
  values["epochs_done"] = info.epochs_done;
  return values;
}

/// What Python is called with in training; each may be None.
struct PythonCallbacks {
  nb::object begin, batch, epoch;
};

/// Calls Python's functions, with its lock, and looks for Ctrl-C.
class Watcher {
 public:
  explicit Watcher(const PythonCallbacks& python) : python_(python) {}

  TrainingCallbacks callbacks() {
    TrainingCallbacks calls;
    calls.begin = [this](const FitInfo& info) {
      const nb::gil_scoped_acquire lock;
      static_cast<void>(unless_interrupted([&] {
        if (!python_.begin.is_none()) python_.begin(to_dict(info));
        return StopRequest::none;
      }));
    };
    calls.batch = [this](const EpochProgress& done) { return batch(done); };
    calls.epoch = [this](const EpochRecord& record) {
      const nb::gil_scoped_acquire lock;
      return unless_interrupted([&] {
        const bool stop =
            !python_.epoch.is_none() && nb::cast<bool>(python_.epoch(to_dict(record)));
        return stop || interrupted_ ? StopRequest::stop : StopRequest::none;
      });
    };
    return calls;
  }

  /// Whether Ctrl-C ended training.
  [[nodiscard]] bool interrupted() const noexcept { return interrupted_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{100};

  /// Steps may take microseconds: Python is asked ten times a second.
  StopRequest batch(const EpochProgress& done) {
    const Clock::time_point now = Clock::now();
    if (now - last_ < pause) return StopRequest::none;
    last_ = now;
    const nb::gil_scoped_acquire lock;
    return unless_interrupted([&] {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!python_.batch.is_none()) {
        python_.batch(done.epoch, done.pairs, done.total_pairs, done.seconds);
      }
      return interrupted_ ? StopRequest::stop : StopRequest::none;
    });
  }

  /// Stops training, with its weights whole, where Ctrl-C would have raised KeyboardInterrupt;
  /// other exceptions go through training to Python.
  template <class Call>
  StopRequest unless_interrupted(const Call& call) {
    try {
      return call();
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted_ = true;
      return StopRequest::stop;
    }
  }

  const PythonCallbacks& python_;
  Clock::time_point last_ = Clock::now();
  bool interrupted_ = false;
};

/// Trains a model, from a checkpoint if there is one. @return its history, and whether Ctrl-C ended
/// it
std::tuple<nb::dict, bool, History> fit(AnyRecommender& model, const Split& split,
                                        const FitOptions& options, bool resume,
                                        const nb::object& begin, const nb::object& batch,
                                        const nb::object& epoch) {
  const PythonCallbacks python{begin, batch, epoch};
  Watcher watcher(python);
  History history;
  {
    const nb::gil_scoped_release release;
    const auto& checkpoint = options.checkpoint.path;
    const bool continues = resume && !checkpoint.empty() && std::filesystem::exists(checkpoint);
    const auto session =
        continues ? model.resume(checkpoint, split, options) : model.session(split, options);
    history = session->run(watcher.callbacks());
  }
  nb::dict values = to_dict(history);
  return {std::move(values), watcher.interrupted(), std::move(history)};
}

/// A model retrained on training and validation set. @return it, its history, and whether Ctrl-C
/// ended it
std::tuple<std::shared_ptr<AnyRecommender>, nb::dict, bool> retrained(
    const AnyRecommender& model, const Split& split, const History& history,
    const FitOptions& options, const nb::object& begin, const nb::object& batch,
    const nb::object& epoch) {
  const PythonCallbacks python{begin, batch, epoch};
  Watcher watcher(python);
  std::shared_ptr<AnyRecommender> again;
  History ended;
  {
    const nb::gil_scoped_release release;
    TrainingCallbacks callbacks = watcher.callbacks();
    callbacks.end = [&](const History& all) { ended = all; };
    again = model.retrained(split, history, options, callbacks);
  }
  return {std::move(again), to_dict(ended), watcher.interrupted()};
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Ranking>(module, "Ranking")
      .def(nb::init<>())
      .def_rw("alpha", &Ranking::alpha, nb::arg().none())
      .def_rw("power", &Ranking::power, nb::arg().none())
      .def_rw("exponent", &Ranking::exponent, nb::arg().none())
      .def_rw("magnitudes", &Ranking::magnitudes)
      .def_rw("users", &Ranking::users)
      .def_rw("alphas", &Ranking::alphas)
      .def_rw("powers", &Ranking::powers);
  module.attr("default_alphas") = default_alphas();
  module.attr("default_powers") = default_powers();

  nb::class_<ModelSpec>(module, "ModelSpec")
      .def(nb::init<>())
      .def_rw("backbone", &ModelSpec::backbone)
      .def_rw("loss", &ModelSpec::loss)
      .def_rw("penalty", &ModelSpec::penalty)
      .def_rw("regularizer", &ModelSpec::regularizer)
      .def_rw("initializer", &ModelSpec::initializer)
      .def_rw("optimizer", &ModelSpec::optimizer)
      .def_rw("sampler", &ModelSpec::sampler)
      .def_rw("dim", &ModelSpec::dim)
      .def_rw("activation", &ModelSpec::activation)
      .def_rw("dropout", &ModelSpec::dropout)
      .def_rw("ranking", &ModelSpec::ranking)
      .def_rw("seed", &ModelSpec::seed)
      .def("set", [](ModelSpec& spec, const std::string& name, double value) {
        spec.options.push_back({name, value});
      });

  nb::class_<FitOptions>(module, "FitOptions")
      .def(nb::init<>())
      .def_rw("learning_rate", &FitOptions::learning_rate, nb::arg().none())
      .def_rw("batch_size", &FitOptions::batch_size)
      .def_rw("epochs", &FitOptions::epochs, nb::arg().none())
      .def_rw("patience", &FitOptions::patience)
      .def_rw("min_steps", &FitOptions::min_steps)
      .def_rw("k", &FitOptions::k)
      .def_rw("validate_every", &FitOptions::validate_every)
      .def("set_schedule", [](FitOptions& options,
                              const std::string& name) { options.schedule = schedule_of(name); })
      .def("set_metric",
           [](FitOptions& options, const std::string& name) {
             options.metric = Metric(by_name("metric", metrics, name));
           })
      .def("set_checkpoint",
           [](FitOptions& options, const std::filesystem::path& path, std::size_t every_epochs) {
             options.checkpoint = {.path = path, .every_epochs = every_epochs};
           });

  nb::class_<History>(module, "History");
  nb::class_<AnyRecommender>(module, "Model")
      .def_prop_ro("name", &AnyRecommender::name)
      .def_prop_ro("policies", &AnyRecommender::policies)
      .def("fit", fit, nb::arg("split"), nb::arg("options"), nb::arg("resume"),
           nb::arg("begin").none(), nb::arg("batch").none(), nb::arg("epoch").none())
      .def("warm_start",
           [](AnyRecommender& model, const std::string& folder) {
             const nb::gil_scoped_release released;
             const prism::KnownRows known = model.warm_start(folder);
             return std::pair(known.users, known.items);
           })
      .def("retrained", retrained, nb::arg("split"), nb::arg("history"), nb::arg("options"),
           nb::arg("begin").none(), nb::arg("batch").none(), nb::arg("epoch").none())
      .def(
          "save",
          [](const AnyRecommender& model, const std::filesystem::path& folder,
             const std::vector<std::pair<std::string, std::string>>& notes) {
            model.save(folder, notes);
          },
          nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "make_model",
      [](const ModelSpec& spec, const Interactions& train) -> std::shared_ptr<AnyRecommender> {
        return make_model(spec, train);
      },
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace prismcf
