// SPDX-License-Identifier: BSD-3-Clause
// Which types can observe a training, and the state after an observer stops it or throws.
#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>

#include "resume_cases.hpp"

using namespace prism;
using test::resume_split;

namespace {

using SessionModel = Recommender<MF<8>, BPR>;
using Session = TrainingSession<SessionModel>;

}  // namespace

TEST_CASE("an observer stops training after an epoch: best weights and history stay") {
  struct Stops {
    static StopRequest epoch(const EpochRecord& record, const SessionModel&) {
      return record.epoch == 5 ? StopRequest::stop : StopRequest::none;
    }
  };
  FitOptions options{.learning_rate = 0.1, .batch_size = 150, .epochs = 50};
  SessionModel model(resume_split().train), other(resume_split().train);
  const History history = fit(model, resume_split(), options, Stops{}, Silent());
  CHECK(history.epochs.size() == 5);
  CHECK(history.stop_reason == StopReason::observer);
  options.epochs = 5;
  const History five = fit(other, resume_split(), options, Silent());
  CHECK(five.best_epoch == history.best_epoch);
  CHECK(test::bits_of(model) == test::bits_of(other));
}

TEST_CASE("an observer stops training within an epoch, which then is none") {
  struct Stops {
    std::size_t left = 3;
    StopRequest batch(const EpochProgress&) {
      return left-- == 0 ? StopRequest::stop : StopRequest::none;
    }
  };
  const FitOptions options{.learning_rate = 0.1, .batch_size = 150, .epochs = 50};
  SessionModel model(resume_split().train), other(resume_split().train),
      stepped(resume_split().train);
  const History history = fit(model, resume_split(), options, Stops{9});
  CHECK(history.epochs.size() == 1);
  CHECK(history.stop_reason == StopReason::observer);
  FitOptions one = options;
  one.epochs = 1;
  fit(other, resume_split(), one, Silent());
  CHECK(test::bits_of(model) == test::bits_of(other));  // the best epoch's

  // Before the first epoch has ended there is no best epoch: the weights stay as learnt so far.
  SessionModel early(resume_split().train);
  const History none = fit(early, resume_split(), options, Stops{});
  CHECK(none.epochs.empty());
  CHECK(none.best_epoch == 0);
  CHECK(none.warnings.empty());  // an observer has its reasons: no advice to train for longer
  Session session(stepped, resume_split(), options);
  for (int k = 0; k < 4; ++k) session.step();
  session.flush();
  CHECK(test::bits_of(early) == test::bits_of(stepped));
}

TEST_CASE("an observer that has thrown does not keep training from going on") {
  struct Throws {
    std::size_t left = 4;
    void batch(const EpochProgress&) {
      if (left-- == 0) throw std::runtime_error("once");
    }
  } throws;
  using Plain = Recommender<MF<8>, BPR, None, Xavier, SGD>;  // without decay it defers nothing
  const FitOptions options{.learning_rate = 0.1, .batch_size = 150, .epochs = 3};
  Plain model(resume_split().train), other(resume_split().train);
  TrainingSession session(model, resume_split(), options);
  CHECK_THROWS_WITH(session.run(throws), "once");
  CHECK_FALSE(session.finished());
  session.run(throws);
  fit(other, resume_split(), options, Silent());
  CHECK(test::bits_of(model) == test::bits_of(other));
}

TEST_CASE("a stop that an observer asks for holds where a later one throws") {
  struct Stops {
    static StopRequest batch(const EpochProgress&) { return StopRequest::stop; }
  } stops;
  struct Throws {
    static void batch(const EpochProgress&) { throw std::runtime_error("later"); }
  } throws;
  SessionModel model(resume_split().train);
  Session session(model, resume_split(), {.batch_size = 150, .epochs = 3});
  CHECK_THROWS_WITH(session.run(stops, throws), "later");
  CHECK(session.steps() == 1);
  CHECK(session.history().stop_reason == StopReason::observer);
}

TEST_CASE("who watches is an observer, and nothing else is") {
  struct OnlyEnd {
    void end(const History&) {}
  };
  struct Nothing {};
  struct WithoutModel {
    void epoch(const EpochRecord&) {}
  };
  struct WithOnlyModel {
    void epoch(const SessionModel&) {}
    void end(const History&) {}
  };
  struct SaysYes {
    bool batch(const EpochProgress&) { return true; }
  };
  const auto lambda = [](const EpochRecord&, const SessionModel&) {};
  static_assert(Observer<OnlyEnd, SessionModel> && Observer<Silent, SessionModel> &&
                Observer<Progress, SessionModel>);
  static_assert(Observer<MagnitudeProbe, SessionModel>);
  static_assert(!Observer<int, SessionModel> && !Observer<const char[6], SessionModel>);
  static_assert(!Observer<Nothing, SessionModel> && !Observer<decltype(lambda), SessionModel>);
  static_assert(Observer<WithoutModel, SessionModel>);
  static_assert(!Observer<WithOnlyModel, SessionModel>);  // its epoch() would never be called
  static_assert(!Observer<SaysYes, SessionModel>);        // to what, yes?
}
