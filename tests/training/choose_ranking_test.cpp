// SPDX-License-Identifier: BSD-3-Clause
// Training that chooses the power or alpha of the ranking on the validation set.
#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/temporary_file.hpp"
#include "support/error_of.hpp"
#include "training/small_case.hpp"

using namespace prism;
using test::numbers;
using test::refusal;
using test::small_split;

namespace {

using RankedModel = Recommender<MF<16>, DirectAU>;

RankedModel make_model(Ranking ranking = power_by_validation()) {
  return RankedModel(small_split().train, {.ranking = std::move(ranking)});
}

FitOptions short_run() { return {.batch_size = 256, .epochs = 6}; }

/// A metric that prefers popular lists before training and after its last epoch, and unpopular ones
/// in between, so that the last epoch's choice is not the best one's.
struct ChangingTaste {
  double sign = 1;

  [[nodiscard]] Metric metric() {
    return [this](const Report& report) { return sign * report.average_popularity; };
  }
  /// An observer. @param popular  the number of the first epochs that prefer popular lists, too
  auto after_epochs(std::size_t popular, std::size_t last) {
    struct Observer {
      double& sign;
      std::size_t popular, last;
      void batch(const EpochProgress& done) const { sign = done.epoch <= popular ? 1 : -1; }
      void epoch(const EpochRecord& record) const {
        if (record.epoch == last) sign = 1;
      }
    };
    return Observer{sign, popular, last};
  }
};

/// Calls detail::choose_value for values that rank as `quality` says. @return the place of the
/// choice, and the places that were tried, in order
struct Search {
  std::optional<double> start;
  std::vector<double> quality;
  std::vector<std::size_t> tried{};

  std::size_t run() {
    std::vector<double> values(quality.size());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
    const auto choice = detail::choose_value(values, Metric(), start, [&](double value) {
      tried.push_back(static_cast<std::size_t>(value));
      return Report{.ndcg = quality[tried.back()]};
    });
    CHECK(choice.report.ndcg == quality[static_cast<std::size_t>(choice.value)]);
    return static_cast<std::size_t>(choice.value);
  }
};

}  // namespace

TEST_CASE("a search from a value goes to its neighbours as long as they rank better") {
  Search rising{.start = 1.0, .quality = {1, 2, 3, 4, 0}};
  CHECK(rising.run() == 3);
  CHECK(rising.tried == std::vector<std::size_t>{1, 2, 3, 4});
  Search falling{.start = 3.0, .quality = {1, 4, 3, 2, 1}};
  CHECK(falling.run() == 1);
  CHECK(falling.tried == std::vector<std::size_t>{3, 4, 2, 1, 0});
  Search top{.start = 2.0, .quality = {0, 1, 2, 1, 9}};
  CHECK(top.run() == 2);
  CHECK(top.tried == std::vector<std::size_t>{2, 3, 1});
  Search above{.start = 99.0, .quality = {0, 1, 2}};
  CHECK(above.run() == 2);
  Search between{.start = 0.5, .quality = {5, 1, 0}};
  CHECK(between.run() == 0);
  Search tie{.start = 1.0, .quality = {2, 2, 2}};
  CHECK(tie.run() == 1);
  Search one{.start = 0.0, .quality = {2}};
  CHECK(one.run() == 0);
}

TEST_CASE("a search without a start tries every value, and takes the first of the best") {
  Search all{.start = {}, .quality = {1, 3, 2, 3, 0}};
  CHECK(all.run() == 1);
  CHECK(all.tried == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("values are compared on about 2048 users if there are more than twice as many") {
  CHECK(detail::sample_to_choose_on(small_split().validation).empty());
  std::vector<Interaction> pairs;
  for (Index user = 0; user < 9000; ++user) {
    if (user % 3 != 0) pairs.push_back({user, user % 7});  // 6000 users with an item
  }
  CHECK(detail::sample_to_choose_on(Interactions(9000, 7, pairs)).empty() == false);
  const Interactions all(9000, 7, pairs), sample = detail::sample_to_choose_on(all);
  CHECK(sample.size() == 3000);
  for (std::size_t k = 0; k < sample.size(); ++k) {
    REQUIRE(all.contains(sample[k].user, sample[k].item));
  }
}

TEST_CASE("the model ranks with the choice, and its validation is that of the history") {
  const Split& split = small_split();
  for (const Ranking& ranking : {power_by_validation(), alpha_by_validation()}) {
    RankedModel model = make_model(ranking);
    const History history = fit(model, split, short_run(), Silent());
    REQUIRE(history.best_chosen.has_value());
    CHECK(model.ranking().chosen() == history.best_chosen);
    CHECK(model.ranking().choices().size() == ranking.choices().size());
    CHECK(history.epochs[history.best_epoch - 1].chosen == history.best_chosen);
    CHECK(evaluate(model, split.validation).ndcg == history.best_validation_ndcg);
    CHECK(history.best_validation == history.best_validation_ndcg);
    // No other value ranks the validation set better.
    for (const double value : ranking.choices()) {
      model.set_ranking(ranking.with_choice(value));
      CHECK(evaluate(model, split.validation).ndcg <= history.best_validation_ndcg);
    }
  }
}

TEST_CASE("the weights are those of the epoch that ranks best with its own choice") {
  const Split& split = small_split();
  RankedModel model = make_model();
  std::vector<std::vector<float>> after_epoch;
  struct Keep {
    std::vector<std::vector<float>>& items;
    void epoch(const EpochRecord&, const RankedModel& at) { items.push_back(numbers(at.items())); }
  };
  const History history = fit(model, split, short_run(), Keep{after_epoch});
  CHECK(numbers(model.items()) == after_epoch[history.best_epoch - 1]);
  for (const EpochRecord& record : history.epochs) {
    CHECK(record.chosen.has_value());
    CHECK(record.validation <= history.best_validation);
  }
  // Steps do not depend on the ranking.
  RankedModel as_trained = make_model(Ranking{});
  std::vector<std::vector<float>> without;
  const History other = fit(as_trained, split,
                            {.learning_rate = 0.02, .batch_size = 256, .epochs = 6}, Keep{without});
  CHECK(!other.best_chosen.has_value());
  CHECK(without == after_epoch);
}

TEST_CASE("observers see the model ranked with the epoch's choice") {
  const Split& split = small_split();
  RankedModel model = make_model();
  struct Compare {
    void epoch(const EpochRecord& record, const RankedModel& at) const {
      CHECK(at.ranking().chosen() == record.chosen);
      CHECK(evaluate(at, small_split().validation).ndcg == record.validation_ndcg);
    }
  };
  fit(model, split, short_run(), Compare());
}

TEST_CASE("choices are the same for any number of threads, and by a run that is resumed") {
  const Split& split = small_split();
  RankedModel model = make_model();
  const History history = fit(model, split, short_run(), Silent());
  {
    const ThreadLimit limit(1);
    RankedModel again = make_model();
    const History on_one = fit(again, split, short_run(), Silent());
    CHECK(on_one.best_chosen == history.best_chosen);
    CHECK(numbers(again.items()) == numbers(model.items()));
  }
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.checkpoint";
  for (std::size_t epochs = 0; epochs <= 6; epochs += 2) {
    RankedModel begun = make_model();
    TrainingSession session(begun, split, short_run());
    while (session.history().epochs.size() < epochs) session.run_epoch();
    session.save(file);
    RankedModel resumed = make_model();
    auto rest = TrainingSession<RankedModel>::resume(file, resumed, split, short_run());
    const History& whole = rest.run();
    REQUIRE(whole.epochs.size() == history.epochs.size());
    for (std::size_t e = 0; e < whole.epochs.size(); ++e) {
      CHECK(whole.epochs[e].chosen == history.epochs[e].chosen);
      CHECK(whole.epochs[e].validation == history.epochs[e].validation);
    }
    CHECK(whole.best_chosen == history.best_chosen);
    CHECK(resumed.ranking().chosen() == history.best_chosen);
    CHECK(numbers(resumed.items()) == numbers(model.items()));
  }
  RankedModel other = make_model(alpha_by_validation());
  CHECK(refusal([&] {
          return TrainingSession<RankedModel>::resume(file, other, split, short_run());
        }).starts_with("ranking: must be power by validation from 0"));
}

TEST_CASE("a run resumed before its first validation begins its search where the run would have") {
  const Split& split = small_split();
  Ranking ranking = power_by_validation();
  ranking.power = 1.5;
  RankedModel model = make_model(ranking);
  const History history = fit(model, split, short_run(), Silent());
  const TemporaryFolder folder;
  RankedModel begun = make_model(ranking);
  TrainingSession session(begun, split, short_run());
  session.step();
  session.save(folder / "run.checkpoint");
  RankedModel resumed = make_model();
  auto rest =
      TrainingSession<RankedModel>::resume(folder / "run.checkpoint", resumed, split, short_run());
  CHECK(resumed.ranking().power == 1.5);
  const History& whole = rest.run();
  for (std::size_t e = 0; e < history.epochs.size(); ++e) {
    CHECK(whole.epochs[e].chosen == history.epochs[e].chosen);
  }
}

TEST_CASE("the search at the end keeps the earlier choice if nothing ranks better") {
  const Split& split = small_split();
  double penalty = 0;
  FitOptions options = short_run();
  options.metric = [&](const Report& report) { return report.ndcg - penalty; };
  struct PenaliseTheEnd {
    double& penalty;
    void epoch(const EpochRecord& record) const {
      if (record.epoch == 6) penalty = 1;
    }
  };
  RankedModel model = make_model();
  const History history = fit(model, split, options, PenaliseTheEnd{penalty});
  CHECK(history.best_validation > 0);
  CHECK(model.ranking().chosen() == history.best_chosen);
  CHECK(history.epochs[history.best_epoch - 1].validation == history.best_validation);
}

TEST_CASE("magnitudes that do not fit the model are refused before training") {
  CHECK(refusal([] { return make_model({.magnitudes = {1, 2}}); }) ==
        "magnitudes: must have one number for each of the 120 items, not 2");
  RankedModel model = make_model(Ranking{});
  CHECK(refusal([&] {
          model.set_ranking({.magnitude = [](double) { return 0.0; }});
        }).starts_with("magnitude: must be finite and above 0"));
  CHECK(model.ranking().is_default());
}

TEST_CASE("a session that goes on ranks with its last choice, and ends with the best") {
  const Split& split = small_split();
  ChangingTaste taste;
  FitOptions options = short_run();
  options.metric = taste.metric();
  RankedModel model = make_model();
  TrainingSession session(model, split, options);
  session.run(taste.after_epochs(3, 6));
  const double best = session.history().best_validation;
  const auto last = session.history().epochs.back().chosen;
  REQUIRE(last != session.history().best_chosen);
  CHECK(model.ranking().chosen() == session.history().best_chosen);
  session.allow_epochs(9);
  session.step();  // within an epoch
  CHECK(model.ranking().chosen() == last);
  session.run(taste.after_epochs(0, 9));
  CHECK(session.history().best_validation == best);
  CHECK(model.ranking().chosen() == session.history().best_chosen);
  CHECK(evaluate(model, split.validation).average_popularity == best);
}

TEST_CASE("a trained model starts from the best of all values, and keeps it if nothing is better") {
  const Split& split = small_split();
  RankedModel model = make_model(Ranking{});
  fit(model, split, short_run(), Silent());
  model.set_ranking(power_by_validation());
  const auto items = numbers(model.items());
  ChangingTaste taste;
  FitOptions options = short_run();
  options.metric = taste.metric();
  const History history = fit(model, split, options, taste.after_epochs(0, 6));
  REQUIRE(history.best_epoch == 0);
  REQUIRE(history.epochs.back().chosen != history.best_chosen);
  CHECK(numbers(model.items()) == items);
  CHECK(model.ranking().chosen() == history.best_chosen);
  CHECK(evaluate(model, split.validation).average_popularity == *history.initial_validation);
}

TEST_CASE("with the last weights kept, the ranking is that of the last epoch") {
  const Split& split = small_split();
  RankedModel model = make_model();
  FitOptions options = short_run();
  options.best_weights = BestWeights::last;
  const History history = fit(model, split, options, Silent());
  CHECK(model.ranking().chosen() == history.epochs.back().chosen);
  CHECK(evaluate(model, split.validation).ndcg == history.epochs.back().validation_ndcg);
}

TEST_CASE("a retrained model keeps the choice, and chooses nothing") {
  const Split& split = small_split();
  RankedModel model = make_model();
  const History history = fit(model, split, short_run(), Silent());
  const RankedModel again = retrain(model, split, history, short_run(), Silent());
  CHECK(again.ranking().power == history.best_chosen);
  CHECK(!again.ranking().chooses());
  CHECK(again.train().size() > model.train().size());
}

TEST_CASE("values to choose from need a validation set") {
  const Split whole = merge_validation(small_split());
  RankedModel model(whole.train, {.ranking = power_by_validation()});
  CHECK(refusal([&] { return fit(model, whole, short_run(), Silent()); })
            .starts_with("ranking: must not have values to choose from if split.validation is "
                         "empty"));
  model.set_ranking({.power = 0.5});
  CHECK(fit(model, whole, short_run(), Silent()).epochs.size() == 6);
}

TEST_CASE("a fixed power is what training validates and stops by") {
  const Split& split = small_split();
  RankedModel model = make_model({.power = 0.4});
  const History history = fit(model, split, short_run(), Silent());
  CHECK(!history.best_chosen.has_value());
  CHECK(evaluate(model, split.validation).ndcg == history.best_validation_ndcg);
  model.set_ranking({});
  CHECK(evaluate(model, split.validation).ndcg != history.best_validation_ndcg);
}

TEST_CASE("where popularity gives the magnitudes of the ranking, the default rate is constant") {
  const Split& split = small_split();
  const auto settled = [&](auto model) {
    return TrainingSession(model, split, FitOptions{}).options();
  };
  const FitOptions options = settled(make_model());
  CHECK(*options.learning_rate == doctest::Approx(0.02));  // 0.01 at 64 dimensions
  CHECK(options.schedule->label() == ConstantSchedule{}.label());
  CHECK(*settled(make_model({.alpha = 0.5})).learning_rate == doctest::Approx(0.02));
  // The rows' own magnitudes count here.
  const FitOptions as_trained = settled(make_model(Ranking{}));
  CHECK(*as_trained.learning_rate == doctest::Approx(0.06));
  CHECK(*settled(make_model({.power = 0.5, .exponent = 1})).learning_rate == doctest::Approx(0.06));
  using OfDotProducts = Recommender<MF<16>, BPR>;
  const double without = *settled(OfDotProducts(split.train)).learning_rate;
  CHECK(*settled(OfDotProducts(split.train, {.ranking = power_by_validation()})).learning_rate ==
        without);
}
