// SPDX-License-Identifier: BSD-3-Clause
// The warning of initial rows that saturate a loss of dot products.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "data/temporary_file.hpp"
#include "policies.hpp"

using namespace prism;

namespace {

/// Enough interactions that PRISM<1>'s magnitudes are large: the mean of |u||i| is about 16.
const Split& split() {
  static const Split parts = random_split(
      synthetic_interactions({.users = 300, .items = 200, .interactions_per_user = 60}));
  return parts;
}

const FitOptions one_epoch{.batch_size = 512, .epochs = 1};

/// What an observer is told at the beginning.
struct Look {
  std::vector<std::string> warnings{};
  int begins = 0;
  void begin(const FitInfo& info) {
    warnings = info.warnings;
    ++begins;
  }
};

/// The warnings of this kind among others.
std::vector<std::string> of_start(const std::vector<std::string>& warnings) {
  std::vector<std::string> found;
  for (const std::string& warning : warnings) {
    if (warning.starts_with("the initial magnitudes")) found.push_back(warning);
  }
  return found;
}

/// The warnings of a model before its first step.
template <class Model>
std::vector<std::string> warnings_of(typename Model::Options options = {}) {
  Model model(split().train, options);
  TrainingSession session(model, split(), one_epoch);
  Look look;
  session.step(look);
  REQUIRE(look.begins == 1);
  CHECK(of_start(look.warnings) == look.warnings);
  CHECK(of_start(session.history().warnings) == look.warnings);
  return look.warnings;
}

/// The number after `words` in a text.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  REQUIRE(at != std::string::npos);
  return std::atof(text.c_str() + at + words.size());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

template <class Loss, class Initializer = PRISM<1.0>>
using WithMF = Recommender<MF<64>, Loss, None, Initializer>;
using Large = WithMF<BPR>;

}  // namespace

TEST_CASE("large initial magnitudes are warned of where logits are dot products, and only there") {
  CHECK(warnings_of<WithMF<BPR>>().size() == 1);
  CHECK(warnings_of<WithMF<MACR>>().size() == 1);
  CHECK(warnings_of<WithMF<BPR, Xavier>>().empty());
  CHECK(warnings_of<WithMF<BPR, PRISM<0.0>>>().empty());
  CHECK(warnings_of<WithMF<SSM>>().empty());
  CHECK(warnings_of<WithMF<DirectAU>>().empty());
  CHECK(warnings_of<WithMF<Dot>>().empty());  // linear: its gradient does not vanish
  SUBCASE("with a penalty") {
    CHECK(warnings_of<WithMF<Penalized<BPR, ReSN>>>().size() == 1);
    CHECK(warnings_of<WithMF<Penalized<SSM, ReSN>>>().empty());
  }
  SUBCASE("with policies that are chosen at run time") {
    using Chosen = WithMF<Penalized<BPR, OnePenalty<IPL>>, OneInitializer<Xavier, PRISM<dynamic>>>;
    CHECK(warnings_of<Chosen>().empty());
    CHECK(warnings_of<Chosen>({.initializer = PRISM<dynamic>{}}).size() == 1);
    CHECK(warnings_of<Chosen>({.initializer = PRISM<dynamic>{.scale = 0.3}}).empty());
  }
}

TEST_CASE("the warning gives the mean magnitudes, and the scale that it names removes it") {
  const Large model(split().train);
  const std::vector<double> users = magnitudes(rows(model.users()));
  const std::vector<double> items = magnitudes(rows(model.items()));
  double mean = 0;
  const Interactions& train = split().train;
  for (std::size_t k = 0; k < train.size(); ++k) {
    mean += users[train[k].user] * items[train[k].item] / static_cast<double>(train.size());
  }
  const std::string warning = warnings_of<Large>().at(0);
  CAPTURE(warning);
  CHECK(number_after(warning, "|u||i| is ") == doctest::Approx(mean).epsilon(0.005));
  const double scale = number_after(warning, "multiply PRISM's scale by ");
  CHECK(scale == doctest::Approx(std::sqrt(0.01 / mean)).epsilon(0.005));
  CHECK(warnings_of<Large>({.initializer = {.scale = scale}}).empty());
  // The suggested number is a factor on the current scale.
  const std::string twice = warnings_of<Large>({.initializer = {.scale = 2}}).at(0);
  CHECK(number_after(twice, "|u||i| is ") == doctest::Approx(4 * mean).epsilon(0.005));
  CHECK(2 * number_after(twice, "multiply PRISM's scale by ") ==
        doctest::Approx(scale).epsilon(0.01));
}

TEST_CASE("what is measured are the output rows, which the loss reads") {
  using Propagated = Recommender<LightGCN<64, 3>, BPR, None, PRISM<1.0>>;
  CHECK(warnings_of<Propagated>().empty());
  CHECK(warnings_of<Propagated>({.initializer = {.scale = 10}}).size() == 1);
}

TEST_CASE("large magnitudes of rows that were trained before are no cause for a warning") {
  const auto warns = [](float cosine) {
    Large model(split().train);
    for (Matrix<float>* table : {&model.weights().users, &model.weights().items}) {
      for (std::size_t r = 0; r < table->shape(0); ++r) {
        float* const row = rows(*table)[r];
        scale(row, 5 * std::sqrt(1 - cosine) / norm(row, 64), row, 64);
        for (std::size_t k = 0; k < 64; ++k) row[k] += 5 * std::sqrt(cosine / 64);
      }
    }
    TrainingSession session(model, split(), one_epoch);
    Look look;
    session.step(look);
    return look.warnings.size();
  };
  CHECK(warns(0) == 1);
  CHECK(warns(0.1F) == 1);
  CHECK(warns(0.35F) == 0);
}

TEST_CASE("the warning is in the history once, before those of the end, however training goes on") {
  Large model(split().train);
  TrainingSession session(model, split(), one_epoch);
  Look look;
  session.step(look);
  REQUIRE(look.warnings.size() == 1);
  CHECK(session.history().warnings == look.warnings);
  session.run(look);
  CHECK(look.begins == 2);
  const std::vector<std::string> ended = session.history().warnings;
  REQUIRE(ended.size() == 2);
  CHECK(ended[0] == look.warnings[0]);
  CHECK(ended[1].starts_with("training stopped after "));
  session.allow_epochs(2);
  session.run(look);
  REQUIRE(session.history().warnings.size() == 2);
  CHECK(session.history().warnings[0] == ended[0]);
}

TEST_CASE("a resumed run has the warnings of its start") {
  const TemporaryFile place("");
  const auto path = place.folder() / "run";
  Large model(split().train), other(split().train);
  const FitOptions options{.learning_rate = 0.1, .batch_size = 512, .epochs = 1};
  TrainingSession session(model, split(), options);
  for (int k = 0; k < 3; ++k) session.step();
  session.save(path);
  // By now the rows have other lengths; the rows that resuming replaces would give no warning.
  for (float& weight : other.weights().items) weight *= 0.01F;
  auto resumed = TrainingSession<Large>::resume(path, other, split(), options);
  Look look;
  resumed.run(look);
  CHECK(look.warnings.size() == 1);
  CHECK(of_start(resumed.history().warnings) == look.warnings);
  CHECK(resumed.history().warnings == session.run().warnings);
}

TEST_CASE("progress shows the warning when training begins, and only then") {
  std::ostringstream out;
  Large model(split().train);
  const History history = fit(model, split(), one_epoch, Progress(out, Progress::Style::lines));
  REQUIRE(of_start(history.warnings).size() == 1);
  const std::string text = out.str(), shown = "warning: " + history.warnings[0] + "\n";
  CAPTURE(text);
  CHECK(count(text, shown) == 1);
  CHECK(text.find(shown) < text.find("epoch 1  loss"));
  CHECK(count(text, "warning: ") == history.warnings.size());
}

TEST_CASE("one thread and plain C++ warn alike") {
  Large model(serial, split().train), other(split().train);
  const std::vector<std::string> on_serial =
      fit(serial, model, split(), one_epoch, Silent()).warnings;
  const std::vector<std::string> on_par = fit(other, split(), one_epoch, Silent()).warnings;
  CHECK(of_start(on_serial).size() == 1);
  CHECK(of_start(on_serial) == of_start(on_par));
}
