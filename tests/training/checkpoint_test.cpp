// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: when they are written, and which are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "resume_cases.hpp"

using namespace prism;
using test::resume_split;
namespace fs = std::filesystem;

namespace {

using SavedModel = Recommender<MF<4>, SSM, FullWD>;
using SavedSession = TrainingSession<SavedModel>;

FitOptions fitting() { return {.learning_rate = 0.02, .batch_size = 150, .epochs = 4}; }

std::string bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A checkpoint from the middle of the second epoch.
std::string saved_bytes() {
  const TemporaryFile place("", "run");
  SavedModel model(resume_split().train);
  SavedSession session(model, resume_split(), fitting());
  for (int k = 0; k < 8; ++k) session.step();
  session.save(place.path());
  return bytes_of(place.path());
}

/// SGD whose state cannot be saved.
struct Forgetful {
  static constexpr std::string_view name = "Forgetful";
  template <class T>
  struct State {
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory)
        : of_sgd(size, dim, memory) {}
    SGD::State<T> of_sgd;
  };
  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& regularizer) const {
    SGD{}(exec, table, gradient, state.of_sgd, info, regularizer);
  }
};

/// The error of resuming, or "nothing" if it succeeds. On an error the model must be unchanged.
template <class M = SavedModel>
std::string refusal(const fs::path& path, const FitOptions& options = fitting(),
                    const typename M::Options& model_options = {},
                    const Split& data = resume_split()) {
  M model(data.train, model_options);
  const auto before = test::bits_of(model);
  try {
    auto session = TrainingSession<M>::resume(path, model, data, options);
  } catch (const Error& error) {
    CHECK(test::bits_of(model) == before);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a checkpoint with any byte changed is refused") {
  const std::string bytes = saved_bytes();
  const TemporaryFile place(bytes, "run");
  REQUIRE(refusal(place.path()) == "nothing");
  // Each byte of head and tail, and some between.
  for (std::size_t k = 0; k < bytes.size(); k += k < 300 || k + 300 > bytes.size() ? 1 : 41) {
    std::string changed = bytes;
    changed[k] = static_cast<char>(changed[k] ^ (1 << (k % 8)));
    write(place.path(), changed);
    CAPTURE(k);
    const std::string said = refusal(place.path());
    CHECK(said.starts_with(place.path().string() + ": "));
  }
}

TEST_CASE("a checkpoint that was cut off, or has more behind it, is refused") {
  const std::string bytes = saved_bytes();
  const TemporaryFile place(bytes, "run");
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97) {
    write(place.path(), bytes.substr(0, size));
    CAPTURE(size);
    CHECK(refusal(place.path()).starts_with(place.path().string() + ": "));
  }
  write(place.path(), bytes + "x");
  CHECK(refusal(place.path()) != "nothing");
}

TEST_CASE("what is no checkpoint says so") {
  const TemporaryFile place("Something else, long enough to have all that an end has.", "run");
  CHECK(refusal(place.path()).ends_with("is not a training checkpoint"));
  CHECK(refusal(place.folder() / "none").ends_with("there is no such file"));
  CHECK(refusal(place.folder()).ends_with("it is not a regular file"));
  std::string bytes = saved_bytes();
  const unsigned version = detail::checkpoint_kind.version;
  bytes[8] = static_cast<char>(version + 1);
  write(place.path(), bytes);
  CHECK(refusal(place.path())
            .ends_with("is a training checkpoint of version " + std::to_string(version + 1) +
                       "; this library reads version " + std::to_string(version)));
}

TEST_CASE("a run is not resumed as another one") {
  const TemporaryFile place(saved_bytes(), "run");
  const fs::path& path = place.path();
  const auto with = [](auto change) {
    FitOptions options = fitting();
    change(options);
    return options;
  };
  CHECK(refusal(path, with([](auto& o) { o.batch_size = 149; }))
            .starts_with("batch_size: must be 150, as saved in " + path.string() + ", not 149"));
  CHECK(refusal(path, with([](auto& o) { o.learning_rate = 0.01; })).starts_with("learning_rate"));
  CHECK(refusal(path, with([](auto& o) { o.k = 10; })).starts_with("k:"));
  CHECK(refusal(path, with([](auto& o) { o.shuffle = Shuffle::once; })).starts_with("shuffle"));
  CHECK(refusal(path, with([](auto& o) { o.metric = &Report::mrr; })).starts_with("metric"));
  CHECK(refusal(path, with([](auto& o) { o.validate_every = 2; })).starts_with("validate_every"));
  CHECK(refusal(path, with([](auto& o) { o.validate_by_cosine = true; }))
            .starts_with("validate_by_cosine"));
  CHECK(
      refusal(path, with([](auto& o) { o.schedule = WarmUpSchedule{}; })).starts_with("schedule"));
  CHECK(refusal(path, with([](auto& o) {
                  o.epochs = 40;
                  o.patience = 2;
                  o.min_steps = 3;
                })) == "nothing");

  CHECK(refusal(path, fitting(), {.seed = 4}).starts_with("seed"));
  CHECK(refusal(path, fitting(), {.loss = {.negatives = 3}}).starts_with("loss: "));
  // Only what differs is named.
  CHECK(refusal(path, fitting(), {.loss = {.tau = 0.3}}) ==
        "loss: must be tau 0.2, as saved in " + path.string() + ", not tau 0.3");
  CHECK(refusal(path, fitting(), {.regularizer = {.lambda = 1}}).starts_with("regularizer: "));
  CHECK(refusal(path, fitting(), {.optimizer = {.beta1 = 0.8}}).starts_with("optimizer: "));
  CHECK(refusal<Recommender<MF<5>, SSM, FullWD>>(path).starts_with("backbone: "));
  CHECK(refusal<Recommender<MF<4>, BPR, FullWD>>(path).starts_with("loss: "));
  CHECK(
      refusal<Recommender<MF<4>, SSM, FullWD, Xavier, DenseAdam>>(path).starts_with("optimizer: "));
  CHECK(refusal<Recommender<MF<4>, SSM, FullWD, Xavier, Adam, UniformNegatives, double>>(path)
            .starts_with("the model's numbers"));

  const Split other = random_split(
      synthetic_interactions({.users = 120, .items = 90, .interactions_per_user = 8, .seed = 6}));
  CHECK(refusal(path, fitting(), {}, other) != "nothing");
  Split same_train = resume_split();
  same_train.validation = resume_split().test;
  CHECK(refusal(path, fitting(), {}, same_train).starts_with("split.validation"));
}

TEST_CASE("best weights that were not kept cannot be asked for") {
  const TemporaryFile place("", "run");
  FitOptions options = fitting();
  options.best_weights = BestWeights::last;
  SavedModel model(resume_split().train);
  SavedSession session(model, resume_split(), options);
  session.step();
  session.save(place.path());
  CHECK(refusal(place.path()).starts_with("best_weights: must be last"));
  CHECK(refusal(place.path(), options) == "nothing");
  // Conversely, best weights in the checkpoint may be dropped.
  SavedSession keeps(model, resume_split(), fitting());
  keeps.save(place.path());
  CHECK(refusal(place.path(), options) == "nothing");
}

TEST_CASE("a run writes checkpoints when it is told to, and any of them is resumed") {
  const TemporaryFile place("", "run");
  struct Count {
    const fs::path& path;
    std::string last{};
    int changes = 0;
    void look() {
      std::string now = bytes_of(path);
      changes += now != last;
      last = std::move(now);
    }
    void batch(const EpochProgress&) { look(); }
    void end(const History&) { look(); }
  };
  const auto changes = [&](std::size_t every_epochs, std::size_t every_steps) {
    SavedModel model(resume_split().train);
    FitOptions options = fitting();
    options.checkpoint = {place.path(), every_epochs, every_steps};
    Count count{place.path(), bytes_of(place.path())};
    fit(model, resume_split(), options, count);
    CHECK(refusal(place.path()) == "nothing");
    return count.changes;
  };
  const int steps = static_cast<int>(4 * ((resume_split().train.size() + 149) / 150));
  CHECK(changes(1, 0) == 4);
  CHECK(changes(2, 0) == 2);
  CHECK(changes(3, 0) == 2);  // the third epoch, and the last
  CHECK(changes(0, 0) == 1);
  CHECK(changes(0, 1) == steps);
  CHECK(changes(1, 5) == steps / 5 + 4 - steps / 30 - (steps % 5 == 0));
}

TEST_CASE("a finished run that is resumed has its best weights once run() is called") {
  const TemporaryFile place("", "run");
  FitOptions options{.learning_rate = 0.3,
                     .batch_size = 150,
                     .epochs = 60,
                     .patience = 3,
                     .min_steps = 0,
                     .checkpoint = {.path = place.path()}};
  SavedModel model(resume_split().train), resumed(resume_split().train),
      longer(resume_split().train);
  const History history = fit(model, resume_split(), options, Silent());
  REQUIRE(history.stop_reason == StopReason::patience);
  options.checkpoint = {};
  {
    SavedSession session = SavedSession::resume(place.path(), resumed, resume_split(), options);
    CHECK(session.finished());
    session.run();
    CHECK(test::bits_of(resumed) == test::bits_of(model));
    CHECK(session.history().warnings == history.warnings);
    CHECK(session.history().epochs.size() == history.epochs.size());
  }
  // With more patience it continues, as a run with that patience from the start does.
  options.patience = 6;
  SavedSession session = SavedSession::resume(place.path(), resumed, resume_split(), options);
  CHECK_FALSE(session.finished());
  session.run();
  const History whole = fit(longer, resume_split(), options, Silent());
  CHECK(session.history().epochs.size() == whole.epochs.size());
  CHECK(test::bits_of(resumed) == test::bits_of(longer));
}

TEST_CASE("a run resumed from before its first step knows that its model was trained") {
  const TemporaryFile place("", "run");
  SavedModel model(resume_split().train), resumed(resume_split().train);
  fit(model, resume_split(), {.learning_rate = 0.05, .epochs = 30}, Silent());
  // No epoch at this rate is better than the weights that training begins with.
  const FitOptions worse{.learning_rate = 30, .batch_size = 150, .epochs = 2};
  SavedSession whole(model, resume_split(), worse);
  whole.save(place.path());
  SavedSession session = SavedSession::resume(place.path(), resumed, resume_split(), worse);
  session.run();
  const History& history = whole.run();
  CHECK(history.best_epoch == 0);
  CHECK(session.history().best_epoch == history.best_epoch);
  CHECK(session.history().initial_validation == history.initial_validation);
  CHECK(test::bits_of(resumed) == test::bits_of(model));

  // A session that ends without a step leaves a model that counts as trained.
  SavedModel untouched(resume_split().train);
  SavedSession ended = SavedSession::resume(place.path(), untouched, resume_split(), worse);
  ended.stop();
  ended.run();
  CHECK(untouched.trained());

  // Also that its model was not trained, even if the model it is loaded into was.
  SavedModel fresh(resume_split().train);
  SavedSession first(fresh, resume_split(), worse);
  first.save(place.path());
  SavedSession again = SavedSession::resume(place.path(), resumed, resume_split(), worse);
  again.run();
  CHECK(first.run().best_epoch > 0);
  CHECK_FALSE(again.history().initial_validation);
  CHECK(again.history().best_epoch == first.history().best_epoch);
  CHECK(test::bits_of(resumed) == test::bits_of(fresh));
}

TEST_CASE("a run that an observer stopped goes on when it is resumed") {
  const TemporaryFile place("", "run");
  struct Stops {
    std::size_t left = 8;
    StopRequest batch(const EpochProgress&) {
      return left-- == 0 ? StopRequest::stop : StopRequest::none;
    }
  };
  FitOptions options = fitting();
  SavedModel whole(resume_split().train), stopped(resume_split().train),
      resumed(resume_split().train);
  fit(whole, resume_split(), options, Silent());
  options.checkpoint = {.path = place.path()};
  CHECK(fit(stopped, resume_split(), options, Stops{}).stop_reason == StopReason::observer);
  SavedSession session = SavedSession::resume(place.path(), resumed, resume_split(), options);
  CHECK(session.run().stop_reason == StopReason::epochs);
  CHECK(test::bits_of(resumed) == test::bits_of(whole));
}

TEST_CASE("where a checkpoint cannot be written, what stood there stays") {
  const TemporaryFile place("old", "run");
  SavedModel model(resume_split().train);
  SavedSession session(model, resume_split(), fitting());
  CHECK_THROWS_AS(session.save(place.path() / "in_a_file"), DataError);
  CHECK_THROWS_AS(session.save(place.folder()), DataError);
  {
    detail::StagedFile first(place.path());
    CHECK_THROWS_WITH_AS(session.save(place.path()),
                         doctest::Contains("another process is writing it"), DataError);
    CHECK(bytes_of(place.path()) == "old");
  }
  session.save(place.path());
  CHECK(refusal(place.path()) == "nothing");
  CHECK(std::distance(fs::directory_iterator(place.folder()), fs::directory_iterator()) == 1);
}

TEST_CASE("an optimizer without save() trains, and says why it has no checkpoints") {
  using Forgets = Recommender<MF<4>, BPR, None, Xavier, Forgetful>;
  Forgets model(resume_split().train);
  Recommender<MF<4>, BPR, None, Xavier, SGD> plain(resume_split().train);
  FitOptions options = fitting();
  fit(model, resume_split(), options, Silent());
  fit(plain, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(plain));
  options.checkpoint.path = "run";
  CHECK_THROWS_WITH_AS(fit(model, resume_split(), options, Silent()),
                       doctest::Contains("checkpoint: cannot be written: the optimizer's State"),
                       ArgumentError);
}
