// SPDX-License-Identifier: BSD-3-Clause
// Trials and searches whose epochs are not all validated.
#include <doctest/doctest.h>

#include <cstddef>
#include <prism/prism.hpp>
#include <string>
#include <vector>

#include "fake_trials.hpp"

using namespace prism;
using test::Folder;
using test::to_the_end;
using test::trial_split;

TEST_CASE("a trial's record tells which epochs were not validated") {
  using Model = Recommender<MF<8>, DirectAU>;
  const FitOptions fit{.batch_size = 128, .epochs = 5, .validate_every = 2};
  const auto all =
      candidates<Types<Model>>(trial_split(), SearchSpace().grid("learning_rate", {0.05}), fit);
  const std::vector<TrialSpec> trials{all[0].trial(5)};
  const Folder folder;
  {
    TrialRecords records(folder.path / "records.jsonl");
    REQUIRE(run_trials(trials, to_the_end, records));
  }
  const TrialRecords records(folder.path / "records.jsonl");
  Model model(trial_split().train, {.seed = 5});
  FitOptions same = fit;
  same.learning_rate = 0.05;
  const History history = prism::fit(model, trial_split(), same, Silent());
  const History of_record = history_of(*records.find(trials[0].key));
  REQUIRE(of_record.epochs.size() == 5);
  for (std::size_t e = 0; e < 5; ++e) {
    CHECK(of_record.epochs[e].validated == (e == 1 || e == 3 || e == 4));
    CHECK(of_record.epochs[e].validation == history.epochs[e].validation);
    CHECK(of_record.epochs[e].best == history.epochs[e].best);
  }
  CHECK(detail::best_validation(records.find(trials[0].key), 1) < 0);
  CHECK(detail::best_validation(records.find(trials[0].key), 3) == history.epochs[1].validation);
  // A key without the option is as it was before there was one.
  const auto every = candidates<Types<Model>>(trial_split(), SearchSpace(), {.epochs = 5});
  CHECK(every[0].trial(5).key.find("validated") == std::string::npos);
  CHECK(all[0].trial(5).key.find("validated every 2 epochs") != std::string::npos);
  TrialRecords none;
  CHECK_THROWS_AS((void)tune(all, none, {.seeds = {1}, .first_epochs = 1}), ArgumentError);
}
