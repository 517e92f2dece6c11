// SPDX-License-Identifier: BSD-3-Clause
// A device's memory is not the host's: whole trainings, evaluations and lists where the host that
// touches it crashes, and their numbers where it may.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <prism/prism.hpp>
#include <prism/testing/batch_evaluation.hpp>
#include <span>
#include <vector>

#include "guarded_grid.hpp"

using namespace prism;

namespace {

const Split& guarded_split() {
  static const Split split =
      random_split(synthetic_interactions({.users = 60, .items = 45, .interactions_per_user = 10}));
  return split;
}

template <class T>
bool same_numbers(const Matrix<T>& a, const Matrix<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
template <class Model>
bool same_tables(const Model& a, const Model& b) {
  return same_numbers(a.users(), b.users()) && same_numbers(a.items(), b.items());
}

template <class T>
void check_close(const std::vector<std::vector<ScoredItem<T>>>& a,
                 const std::vector<std::vector<ScoredItem<T>>>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    REQUIRE(a[r].size() == b[r].size());
    for (std::size_t j = 0; j < a[r].size(); ++j) {
      CHECK(a[r][j].item == b[r][j].item);
      CHECK(a[r][j].score == doctest::Approx(b[r][j].score).epsilon(1e-5));
    }
  }
}

/// Reads the model, as an observer may.
template <class Model>
struct SumOfItems {
  std::vector<double> sums{};

  void begin(const FitInfo&, const Model& model) { add(model); }
  void epoch(const EpochRecord&, const Model& model) { add(model); }
  void add(const Model& model) {
    double sum = 0;
    for (const auto number : model.items()) sum += static_cast<double>(number);
    sums.push_back(sum);
  }
};

/// A training on the guarded memory has the bits of one on memory that is the host's too.
template <class Model>
void check_training(const typename Model::Options& options = {}, FitOptions fit_options = {}) {
  fit_options.learning_rate = 0.02;
  fit_options.batch_size = 100;
  fit_options.epochs = 4;
  Model open(guarded_split().train, options), guarded(guarded_split().train, options);
  CAPTURE(open.name());
  SumOfItems<Model> of_open, of_guarded;
  const History history = fit(serial_grid, open, guarded_split(), fit_options, of_open);
  const History guarded_history =
      fit(test::guarded_grid, guarded, guarded_split(), fit_options, of_guarded);
  CHECK(same_tables(open, guarded));
  CHECK(of_open.sums == of_guarded.sums);
  CHECK(history.best_epoch == guarded_history.best_epoch);
  CHECK(history.best_validation == guarded_history.best_validation);

  const EvaluateOptions without_validation{.exclude = {&guarded_split().validation}};
  const Report report = evaluate(serial_grid, open, guarded_split().test, without_validation);
  CHECK(report.ndcg ==
        evaluate(test::guarded_grid, guarded, guarded_split().test, without_validation).ndcg);
  const std::vector<Index> users{3, 0, 41};
  const auto lists = recommend(serial_grid, open, std::span<const Index>(users), 5);
  // The host, whose rounding is another one, computes the output rows.
  check_close(lists, recommend(test::guarded_grid, guarded, std::span<const Index>(users), 5));

  // A model whose tables are the device's, as a user may make one.
  const Model on_device(guarded, &test::guarded_memory());
  CHECK(report.ndcg ==
        evaluate(test::guarded_grid, on_device, guarded_split().test, without_validation).ndcg);
  CHECK(lists == recommend(test::guarded_grid, on_device, std::span<const Index>(users), 5));
  Model back(guarded_split().train, options);
  back.copy_weights_from(on_device);
  CHECK(same_tables(back, guarded));
}

/// A run that is saved within an epoch and resumed.
template <class Model>
void check_resumed(BestWeights best_weights) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto path = folder / "prism_guarded.ckpt";
  FitOptions options{.learning_rate = 0.02, .batch_size = 100, .epochs = 4};
  options.best_weights = best_weights;
  if (best_weights == BestWeights::on_disk) {
    options.best_weights_path = folder / "prism_guarded.weights";
  }
  Model unbroken(guarded_split().train), resumed(guarded_split().train);
  {
    TrainingSession session(test::guarded_grid, unbroken, guarded_split(), options);
    for (int step = 0; step < 9; ++step) session.step();
    session.save(path);
    session.run();
    session.allow_epochs(5);  // from the last step, in exchange for the best epoch's weights
    session.run();
  }
  options.epochs = 5;
  auto session = TrainingSession<Model, test::GuardedGrid>::resume(
      path, test::guarded_grid, resumed, guarded_split(), options);
  session.run();
  CHECK(same_tables(unbroken, resumed));
  std::filesystem::remove(path);
  if (!options.best_weights_path.empty()) std::filesystem::remove(options.best_weights_path);
}

}  // namespace

TEST_CASE("a training on a device touches none of its memory on the host") {
  check_training<Recommender<MF<8>, BPR>>();
  check_training<Recommender<MF<8>, BPR, FullWD, Xavier, DenseAdam>>();
  check_training<Recommender<MF<8>, SSM, BatchedWD, PRISM<1.0>, PartialRowWiseAdam>>();
  check_training<Recommender<MF<8>, SSM, None, Xavier, SGD, UnobservedNegatives>>();
  check_training<Recommender<MF<8>, DirectAU, FullWD>>();
  check_training<Recommender<MF<8>, MAWU, None, PRISM<1.0>>>();
  check_training<Recommender<MLP<8, 2>, MACR>>();
  check_training<Recommender<LightGCN<8, 2>, BSL, None, Xavier, Adam, SharedNegatives<>>>();
  check_training<Recommender<MF<8>, Penalized<BPR, IPL>>>();
  check_training<
      Recommender<Dropout<MF<8>>, Penalized<SSM, ReSN>, None, Xavier, Adam, InBatchNegatives>>();
}

TEST_CASE("nor does what the host does of a step") {
  check_training<Recommender<MF<8>, SLK, None, PRISM<1.0>, Adam, SharedNegatives<>>>(
      {.loss = {.refresh_epochs = 2}});
  check_training<Recommender<MF<8>, SSM, None, Xavier, Adam, AllInBatchNegatives>>(
      {.loss = {.log_q = true}});
  check_training<Recommender<MF<8>, SSM, None, Xavier, Adam, PopularityNegatives>>(
      {.loss = {.log_q = true}});
  check_training<Recommender<MF<8>, MAWU>>({.loss = {.broadcast = true}});
  check_training<Recommender<MF<8>, Penalized<BPR, IPL>>>(
      {.loss = {.penalty = {.sums = IPLSums::batch_unsorted}}});
}

TEST_CASE("a run on a device is saved and resumed without a touch of its memory") {
  check_resumed<Recommender<MF<8>, BPR, FullWD>>(BestWeights::in_memory);
  check_resumed<Recommender<MF<8>, SSM, FullWD, Xavier, PartialRowWiseAdam>>(BestWeights::on_disk);
  check_resumed<Recommender<MF<8>, DirectAU, None, PRISM<1.0>, DenseAdam>>(BestWeights::last);
}

TEST_CASE("a list in a device's memory is made, copied and moved as a whole") {
  auto* const memory = &test::guarded_memory();
  const TableVector<int> sevens(3, 7, memory);
  TableVector<int> copy(sevens);
  CHECK(copy.get_allocator().resource() == memory);
  const TableVector<int> on_host(copy, nullptr);
  CHECK(on_host == TableVector<int>(3, 7));
  const std::vector<int> numbers{1, 2, 3, 4};
  copy = TableVector<int>(std::span<const int>(numbers), memory);
  const TableVector<int> other = copy;
  CHECK(TableVector<int>(other, nullptr) ==
        TableVector<int>(std::span<const int>(numbers), nullptr));
}
