// SPDX-License-Identifier: BSD-3-Clause
// A device's memory is not the host's: whole trainings, evaluations and lists on memory that the
// host cannot touch without crashing, with the same numbers as on memory that it may touch.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory_resource>
#include <new>
#include <prism/prism.hpp>
#include <prism/testing/batch_evaluation.hpp>
#include <span>
#include <string_view>
#include <thread>
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

/// Adds to a table in loops of the execution; its State has its own finite(), save() and load().
struct SumOfGradients {
  static constexpr std::string_view name = "SumOfGradients";
  template <class T>
  struct State {
    Matrix<T> sum;
    State(std::size_t size, std::size_t dim, std::pmr::memory_resource* memory)
        : sum(zeros<T>(size, dim, memory)) {}
    template <Execution X>
    [[nodiscard]] bool finite(const X& exec) const {
      return all_finite(exec, std::span<const T>(sum.data(), sum.size()));
    }
    void save(BinaryWriter& out) const {
      write_numbers(out, device_memory(memory_of(sum)), std::span<const T>(sum.data(), sum.size()));
    }
    void load(BinaryReader& in) {
      read_numbers(in, device_memory(memory_of(sum)), std::span<T>(sum.data(), sum.size()));
    }
  };
  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R&) const {
    const Rows<T> to = table.rows, sum = rows(state.sum);
    const T rate = static_cast<T>(info.learning_rate);
    for_each_row(exec, to.size(), 64, [=] PRISM_HOST_DEVICE(std::size_t r) {
      const T* const of_row = gradient.of(r);
      if (of_row == nullptr) return;
      add_scaled<typename X::isa>(sum[r], T{1}, of_row, to.dim());
      add_scaled<typename X::isa>(to[r], -rate, sum[r], to.dim());
    });
  }
};

/// Draws on the host, and copies the list to where the execution reads it.
struct DrawnOnHost {
  static constexpr std::string_view name = "DrawnOnHost";
  template <Execution X>
  void operator()(const X& exec, const SampleRequest& request, std::span<Index> negatives) const {
    const HostView<Interaction, X> pairs(exec, request.pairs);
    std::vector<Index> drawn(negatives.size());
    for (std::size_t q = 0; q < drawn.size(); ++q) {
      const Index own = pairs.numbers()[q / request.negatives_per_pair].item;
      drawn[q] = static_cast<Index>((own + 1 + q % 7) % request.train.items());
    }
    copy_across(device_memory(memory_of(exec)), std::span<const Index>(drawn), negatives);
  }
};

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

/// Training on the guarded memory is bit-identical to training on memory shared with the host.
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
  // The host computes the output rows, and rounds differently.
  check_close(lists, recommend(test::guarded_grid, guarded, std::span<const Index>(users), 5));

  // A model with its tables in the device's memory, as a user may make it.
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
  check_training<Recommender<MF<8>, SSM, FullWD, Xavier, SGD, UnobservedNegatives>>();
  check_training<Recommender<MF<8>, DirectAU, FullWD>>();
  check_training<Recommender<MF<8>, MAWU, None, PRISM<1.0>>>();
  check_training<Recommender<MLP<8, 2>, MACR>>();
  check_training<Recommender<LightGCN<8, 2>, BSL, None, Xavier, Adam, SharedNegatives<>>>();
  check_training<Recommender<MF<8>, Penalized<BPR, IPL>>>();
  check_training<
      Recommender<Dropout<MF<8>>, Penalized<SSM, ReSN>, None, Xavier, Adam, InBatchNegatives>>();
}

TEST_CASE("what the host does of a step touches none of it either") {
  check_training<Recommender<MF<8>, SSM, None, Xavier, SumOfGradients, DrawnOnHost>>();
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
  check_resumed<Recommender<MF<8>, BPR, None, Xavier, SumOfGradients>>(BestWeights::in_memory);
  check_resumed<Recommender<MF<8>, SSM, FullWD, Xavier, PartialRowWiseAdam>>(BestWeights::on_disk);
  check_resumed<Recommender<MF<8>, BPR, FullWD, Xavier, SGD>>(BestWeights::in_memory);
  check_resumed<Recommender<MF<8>, DirectAU, None, PRISM<1.0>, DenseAdam>>(BestWeights::last);
}

TEST_CASE("a session on a device refuses to train while another one is current") {
  using Model = Recommender<MF<8>, BPR>;
  const FitOptions options{.learning_rate = 0.02, .batch_size = 100, .epochs = 3};
  Model unbroken(guarded_split().train), interrupted(guarded_split().train);
  TrainingSession(test::guarded_grid, unbroken, guarded_split(), options).run();
  TrainingSession session(test::guarded_grid, interrupted, guarded_split(), options);
  const char* const message = "model: must be in memory that the device can read";
  const auto refuses = [&] {
    test::other_device_is_current = true;
    CHECK_THROWS_WITH_AS(session.step(), doctest::Contains(message), ArgumentError);
    CHECK_THROWS_WITH_AS(session.flush(), doctest::Contains(message), ArgumentError);
    test::other_device_is_current = false;
  };
  refuses();  // at the beginning of an epoch
  session.step();
  refuses();
  session.run();
  CHECK(same_tables(unbroken, interrupted));
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

TEST_CASE("a model in a device's memory is not the host's to read") {
  using Model = Recommender<MF<8>, BPR>;
  const Split& split = guarded_split();
  const Model model(split.train);
  Model on_device(model, &test::guarded_memory());
  const auto says = doctest::Contains("Recommender(model, table_memory())");
  CHECK_THROWS_WITH_AS(static_cast<void>(on_device.scorer()), says, ArgumentError);
  CHECK_THROWS_WITH_AS(static_cast<void>(evaluate(on_device, split.test)), says, ArgumentError);
  CHECK_THROWS_WITH_AS(static_cast<void>(recommend(on_device, 0, 5)), says, ArgumentError);
  CHECK_THROWS_WITH_AS(save_model(on_device, "never_written"), says, ArgumentError);
  CHECK_THROWS_WITH_AS(save_embeddings(on_device, "never_written"), says, ArgumentError);
  CHECK(!std::filesystem::exists("never_written"));
  CHECK_THROWS_WITH_AS(fit(on_device, split, {.epochs = 1}, Silent()), says, ArgumentError);
  CHECK_THROWS_WITH_AS(fit(test::guarded_grid, on_device, split, {.epochs = 1}, Silent()), says,
                       ArgumentError);
  CHECK_THROWS_WITH_AS(Model(split.train, {.memory = &test::guarded_memory()}),
                       doctest::Contains("memory: must be the host's"), ArgumentError);
  CHECK_THROWS_WITH_AS(Model(on_device.train()), doctest::Contains("on_host()"), ArgumentError);

  const Model again(on_device.train().on_host(), on_device.options());
  CHECK(same_tables(model, again));
  CHECK(same_tables(model, Model(on_device, table_memory())));
  // Parts in its memory are read as the host's are.
  const Interactions seen(split.train, &test::guarded_memory());
  const Interactions test_part(split.test, &test::guarded_memory());
  CHECK(evaluate(model, test_part, {.exclude = {&seen}}).ndcg == evaluate(model, split.test).ndcg);
  CHECK(recommend(model.scorer(), seen, 0, 5) == recommend(model, 0, 5));
  Model again_on_host(split.train);
  CHECK_THROWS_WITH_AS(
      fit(again_on_host, Split{seen, split.validation, split.test}, {.epochs = 1}, Silent()),
      doctest::Contains("split: must be in the host's memory"), ArgumentError);
}

TEST_CASE("interactions in a device's memory outlive what they are a copy of") {
  const auto made = [] {
    const Interactions on_host =
        synthetic_interactions({.users = 9, .items = 7, .interactions_per_user = 3});
    return Interactions(on_host, &test::guarded_memory());
  };
  const Interactions on_device = made();
  CHECK(on_device.size() == on_device.on_host().size());
  CHECK(on_device.on_host().item_degree().size() == 7);
  const Interactions again(on_device, table_memory());
  CHECK(std::ranges::equal(again.item_degree(), on_device.on_host().item_degree()));
}

TEST_CASE("a device's model is copied to the host for those who read it, and for no others") {
  struct Ends {
    const Recommender<MF<8>, BPR>& model;
    Matrix<float> before;
    bool changed = false;
    void epoch(const EpochRecord&) { changed = changed || !same_numbers(before, model.users()); }
  };
  Recommender<MF<8>, BPR> model(guarded_split().train);
  Ends observer{model, model.users()};
  fit(test::guarded_grid, model, guarded_split(), {.learning_rate = 0.02, .epochs = 3}, observer);
  CHECK(!observer.changed);
  CHECK(!same_numbers(observer.before, model.users()));
}

TEST_CASE("a device's memory is known as such for as long as it exists") {
  struct Other final : DeviceMemory {
    std::pmr::memory_resource* pinned() noexcept override { return this; }
    void copy(void* to, const void* from, std::size_t bytes) override {
      std::memcpy(to, from, bytes);
    }
    void* do_allocate(std::size_t bytes, std::size_t) override { return ::operator new(bytes); }
    void do_deallocate(void* block, std::size_t, std::size_t) override { ::operator delete(block); }
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  CHECK(device_memory(nullptr) == nullptr);
  CHECK(device_memory(table_memory()) == nullptr);
  alignas(Other) std::byte place[sizeof(Other)];
  auto* const memory = new (place) Other;
  std::pmr::memory_resource* const base = memory;
  CHECK(device_memory(base) == memory);
  CHECK(device_memory(table_memory()) == nullptr);
  // Others come and go meanwhile.
  std::vector<std::thread> threads;
  std::atomic<bool> always = true;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        Other other;
        if (device_memory(&other) != &other || device_memory(base) != memory) always = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(always);
  memory->~Other();
  CHECK(device_memory(base) == nullptr);
}
