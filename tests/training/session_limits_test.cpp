// SPDX-License-Identifier: BSD-3-Clause
// What a session does at the limits of its options, and when something around it fails.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "data/temporary_file.hpp"
#include "small_case.hpp"
#include "support/ending_memory.hpp"
#include "support/full_disk.hpp"

using namespace prism;
using test::Small;
using test::small_split;

namespace {

constexpr std::size_t largest_size = std::numeric_limits<std::size_t>::max();

struct CountBegins {
  int begins = 0;
  std::size_t k = 0;
  void begin(const FitInfo& info) {
    ++begins;
    k = info.k;
  }
};

/// Can fail after the users' rows have been updated, and before the items' are.
struct FailingSGD {
  static constexpr std::string_view name = "FailingSGD";
  static inline bool fails_at_item_rows = false;
  template <class T>
  struct State {
    State(std::size_t /*size*/, std::size_t /*dim*/, std::pmr::memory_resource* /*memory*/) {}
  };
  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& /*exec*/, const ParameterView<T>& table,
                  const TableGradient<T>& gradient, State<T>& /*state*/, StepInfo info,
                  const R& /*regularizer*/) const {
    const Rows<T> to = table.rows;
    if (fails_at_item_rows && to.size() == small_split().train.items()) {
      throw std::runtime_error("no update");
    }
    for (std::size_t r = 0; r < to.size(); ++r) {
      const T* const of_row = gradient.of(r);
      if (of_row == nullptr) continue;
      add_scaled<isa::scalar>(to[r], -static_cast<T>(info.learning_rate), of_row, to.dim());
    }
  }
};

}  // namespace

TEST_CASE("options may be as large as their type") {
  Small whole(small_split().train);
  const History one =
      fit(whole, small_split(), {.batch_size = largest_size, .epochs = 3}, Silent());
  CHECK(one.steps_per_epoch == 1);
  CHECK(one.epochs.size() == 3);
  const FitOptions stops{.learning_rate = 0.05, .batch_size = 300, .epochs = 30};
  for (const auto& [patience, min_steps] :
       {std::pair{largest_size, std::size_t{0}}, std::pair{std::size_t{1}, largest_size},
        std::pair{largest_size, largest_size}}) {
    FitOptions never = stops;
    never.patience = patience;
    never.min_steps = min_steps;
    Small model(small_split().train);
    const History history = fit(model, small_split(), never, Silent());
    CHECK(history.epochs.size() == 30);
    CHECK_FALSE(history.stopped_early());
  }
}

TEST_CASE("a schedule over the largest number of epochs is at its beginning") {
  for (const std::size_t batch_size : {largest_size, std::size_t{300}}) {
    Small model(small_split().train);
    TrainingSession session(model, small_split(),
                            {.learning_rate = 0.01,
                             .batch_size = batch_size,
                             .epochs = largest_size,
                             .schedule = CosineSchedule{}});
    for (int step = 0; step < 3; ++step) CHECK(session.step().learning_rate == 0.01);
  }
}

TEST_CASE("a plateau's options may be as large as their type") {
  for (const auto& [patience, patience_steps, min_steps] :
       {std::tuple{largest_size, std::size_t{1}, std::size_t{0}},
        std::tuple{std::size_t{1}, largest_size, std::size_t{0}},
        std::tuple{std::size_t{1}, std::size_t{1}, largest_size}}) {
    const PlateauSchedule never{
        .patience = patience, .patience_steps = patience_steps, .min_steps = min_steps};
    History history{.steps_per_epoch = 10};
    for (std::size_t epoch = 1; epoch <= 200; ++epoch) {
      history.epochs.push_back({.epoch = epoch, .best = epoch == 100});
    }
    CHECK(never({}, history) == 1);
  }
}

TEST_CASE("the first step tells observers what is about to be done") {
  Small model(small_split().train);
  TrainingSession session(model, small_split(), {.batch_size = 300, .epochs = 3, .k = 7});
  CountBegins count;
  session.step(count);
  session.step(count);
  CHECK(count.begins == 1);
  CHECK(count.k == 7);
  session.run(count);
  CHECK(count.begins == 2);
}

TEST_CASE("a first validation that failed is done before the first step all the same") {
  Small model(small_split().train);
  fit(model, small_split(), {.learning_rate = 0.01, .batch_size = 300, .epochs = 2}, Silent());
  std::size_t asked = 0;
  const auto metric = [&](const Report& report) {
    return ++asked == 1 ? std::nan("") : report.ndcg;
  };
  TrainingSession session(
      model, small_split(),
      {.learning_rate = 0.01, .batch_size = 300, .epochs = 3, .metric = Metric(metric)});
  CHECK_THROWS_AS(session.step(), ArgumentError);
  CHECK(session.steps() == 0);
  session.step();
  CHECK(session.history().initial_validation.has_value());
}

TEST_CASE("training that is let go on has its patience anew") {
  Small model(small_split().train);
  TrainingSession session(
      model, small_split(),
      {.learning_rate = 0.05, .batch_size = 300, .patience = 4, .min_steps = 0});
  REQUIRE(session.run().stopped_early());
  const std::size_t before = session.history().epochs.size();
  session.allow_epochs(before + 50);
  session.run();
  CHECK(session.history().epochs.size() >= before + 4);
}

TEST_CASE("a metric that is not a number is an error") {
  Small model(small_split().train);
  const FitOptions options{
      .batch_size = 300, .epochs = 3, .metric = [](const Report&) { return std::nan(""); }};
  CHECK_THROWS_WITH_AS(fit(model, small_split(), options, Silent()),
                       "metric: must be a finite number, not nan", ArgumentError);
}

TEST_CASE("a rule that throws does not let training pass its last epoch") {
  Small model(small_split().train);
  std::size_t asked = 0;
  TrainingSession session(model, small_split(),
                          {.batch_size = 300, .epochs = 3, .stop = [&](const History&) -> bool {
                             if (++asked == 2) throw std::runtime_error("no answer");
                             return false;
                           }});
  CHECK_THROWS_AS(session.run(), std::runtime_error);
  CHECK(session.run().epochs.size() == 3);
}

TEST_CASE("the best weights' file is nobody else's") {
  const TemporaryFile beside("");
  const std::filesystem::path path = beside.folder() / "best";
  const FitOptions options{.batch_size = 300,
                           .epochs = 3,
                           .best_weights = BestWeights::on_disk,
                           .best_weights_path = path};
  Small model(small_split().train), other(small_split().train, {.seed = 9});
  SUBCASE("not the checkpoint, by whichever path") {
    FitOptions same = options;
    same.checkpoint.path = beside.folder() / "." / "best";
    CHECK_THROWS_AS(TrainingSession(model, small_split(), same), ArgumentError);
    TrainingSession session(model, small_split(), options);
    CHECK_THROWS_AS(session.save(path), ArgumentError);
    session.save(beside.folder() / "run");
    FitOptions over = options;
    over.best_weights_path = beside.folder() / "run";
    CHECK_THROWS_AS(static_cast<void>(TrainingSession<Small>::resume(beside.folder() / "run", model,
                                                                     small_split(), over)),
                    ArgumentError);
  }
  SUBCASE("names that lead nowhere are compared as they are") {
    FitOptions other_name = options;
    other_name.best_weights_path = std::string(300, 'a');
    other_name.checkpoint.path = std::string(300, 'b');
    CHECK_THROWS_WITH_AS(TrainingSession(model, small_split(), other_name),
                         doctest::Contains("cannot be written"), DataError);
  }
  SUBCASE("not another run's") {
    TrainingSession first(model, small_split(), options);
    first.run_epoch();
    TrainingSession second(other, small_split(), options);
    second.run_epoch();
    first.run_epoch();  // if better, writes its own again; otherwise finds the other's at the end
    CHECK_THROWS_AS((first.run(), second.run()), DataError);
  }
}

TEST_CASE("a disk that is full when training ends costs neither the best nor the last weights") {
  const TemporaryFile beside("");
  // Each epoch is worse than the one before.
  const auto falling = [validations = std::make_shared<int>(0)](const Report&) {
    return -static_cast<double>(++*validations);
  };
  FitOptions options{.learning_rate = 0.05, .batch_size = 300, .epochs = 6, .metric = falling};
  Small model(small_split().train), same(small_split().train);
  TrainingSession reference(same, small_split(), options);
  options.best_weights = BestWeights::on_disk;
  options.best_weights_path = beside.folder() / "best";
  TrainingSession session(model, small_split(), options);
  while (!session.finished()) session.run_epoch();
  const auto last = model.items();
  {
    const test::FullDisk full;
    CHECK_THROWS_AS(session.run(), DataError);
  }
  CHECK(model.items() == last);
  REQUIRE(session.run().best_epoch < 6);
  reference.run();
  CHECK(model.items() == same.items());
  for (auto* const other : {&session, &reference}) {
    other->allow_epochs(7);
    other->run_epoch();
  }
  CHECK(model.items() == same.items());
}

TEST_CASE("a checkpoint that cannot be written leaves the model as of its last step") {
  const TemporaryFile beside("");
  const std::filesystem::path place = beside.folder() / "gone";
  std::filesystem::create_directory(place);
  const FitOptions plain{.batch_size = 300, .epochs = 2};
  FitOptions saved = plain;
  saved.checkpoint = {.path = place / "run", .every_epochs = 0, .every_steps = 3};
  Small model(small_split().train), same(small_split().train);
  TrainingSession session(model, small_split(), saved), reference(same, small_split(), plain);
  session.step();
  session.step();
  std::filesystem::remove_all(place);
  CHECK_THROWS_AS(session.step(), DataError);
  for (int k = 0; k < 3; ++k) reference.step();
  reference.flush();
  CHECK(model.items() == same.items());
}

TEST_CASE(
    "after a step that failed, a checkpoint is whole or refused, and the one before it stays") {
  using Model = Recommender<MF<8>, BPR>;
  const FitOptions options{.learning_rate = 0.01, .batch_size = 4, .epochs = 3};
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "run.ckpt";
  std::size_t failures = 0, refusals = 0;
  for (std::size_t allocation = 0; allocation < 8; ++allocation) {
    CAPTURE(allocation);
    test::EndingMemory memory;
    Model model(small_split().train, {.memory = &memory});
    TrainingSession session(model, small_split(), options);
    session.step(Silent());
    session.save(path);
    const auto step = [&] {
      const std::uint64_t before = session.steps();
      try {
        session.step(Silent());
      } catch (const std::bad_alloc&) {
        ++failures;
        CHECK(session.steps() == before);
        return false;
      }
      return true;
    };
    while (session.steps() < 256) REQUIRE(step());
    memory.left = allocation;  // Adam's history grows in the next step
    if (step()) break;
    memory.left = test::EndingMemory::never;
    std::uint64_t saved = session.steps();
    try {
      session.save(path);
    } catch (const ArgumentError& error) {
      CHECK(std::string(error.what()).starts_with("save: must not be called after an exception"));
      CHECK_THROWS_AS(session.step(Silent()), ArgumentError);
      saved = 1;
      ++refusals;
    }
    Model other(small_split().train);
    CHECK(TrainingSession<Model>::resume(path, other, small_split(), options).steps() == saved);
  }
  CHECK(failures > 0);
  CHECK(refusals > 0);
}

TEST_CASE("a run stopped in the middle of an update ends with the best weights") {
  using Model = Recommender<MF<8>, BPR, None, Xavier, FailingSGD>;
  Model model(small_split().train);
  TrainingSession session(model, small_split(),
                          {.learning_rate = 0.5, .batch_size = 300, .epochs = 9});
  while (session.history().best_epoch == 0) session.run_epoch();
  REQUIRE(session.history().best_epoch == session.history().epochs.size());
  const auto users = model.users(), items = model.items();
  FailingSGD::fails_at_item_rows = true;
  CHECK_THROWS_AS(session.step(), std::runtime_error);
  FailingSGD::fails_at_item_rows = false;
  CHECK(model.users() != users);
  CHECK_THROWS_WITH_AS(session.step(), doctest::Contains("step: must not be called after an ex"),
                       ArgumentError);
  session.stop();
  session.run();
  CHECK(model.users() == users);
  CHECK(model.items() == items);
}
