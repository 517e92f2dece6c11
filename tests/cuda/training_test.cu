// SPDX-License-Identifier: BSD-3-Clause
// Whole trainings on a device: the same bits each time, and the host's model up to rounding.
#include <prism/cuda.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <type_traits>

using namespace prism;

namespace cuda_test {

const Split& small_split() {
  static const Split split = random_split(
      synthetic_interactions({.users = 700, .items = 500, .interactions_per_user = 20}));
  return split;
}

template <class Model, class X>
Model trained(const X& exec, const FitOptions& options) {
  Model model(small_split().train, {.seed = 7});
  fit(exec, model, small_split(), options, Silent());
  return model;
}

template <class Model>
bool same_bits(const Model& a, const Model& b) {
  const auto same = [](const auto& x, const auto& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(*x.data())) == 0;
  };
  return same(a.users(), b.users()) && same(a.items(), b.items());
}

/// The largest difference of two models' tables, relative to the largest weight.
template <class Model>
double difference(const Model& a, const Model& b) {
  double largest = 0, apart = 0;
  const auto compare = [&](const auto& x, const auto& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double first = x.data()[i], second = y.data()[i];
      largest = std::max(largest, std::abs(first));
      apart = std::max(apart, std::abs(first - second));
    }
  };
  compare(a.users(), b.users());
  compare(a.items(), b.items());
  return apart / largest;
}

template <class Backbone, class Loss, class Regularizer = None, class Initializer = Xavier,
          class Optimizer = Adam, class Sampler = UniformNegatives>
void check(double learning_rate = 0.01) {
  using Model = Recommender<Backbone, Loss, Regularizer, Initializer, Optimizer, Sampler, double>;
  const FitOptions options{.learning_rate = learning_rate, .batch_size = 2000, .epochs = 3};
  const Model on_host = trained<Model>(par, options);
  const Model on_device = trained<Model>(cuda::device(), options);
  INFO(on_host.name());
  CHECK(difference(on_device, on_host) < 1e-6);
  CHECK(same_bits(on_device, trained<Model>(cuda::device(), options)));
}

}  // namespace cuda_test

using cuda_test::check;

TEST_CASE("the default learning rate on a device is the host's") {
  using Model = Recommender<MF<64>, DirectAU, None, PRISM<1.0>>;
  Model on_host(cuda_test::small_split().train), on_device(cuda_test::small_split().train);
  const TrainingSession of_host(par, on_host, cuda_test::small_split());
  const TrainingSession of_device(cuda::device(), on_device, cuda_test::small_split());
  CHECK(*of_device.options().learning_rate ==
        doctest::Approx(*of_host.options().learning_rate).epsilon(1e-6));
}

TEST_CASE("a device trains the host's model up to rounding, and the same bits each time") {
  check<MF<64>, BPR>();
  check<MF<64>, BPR, FullWD>();
  check<MF<64>, SSM, BatchedWD, PRISM<1.0>, DenseAdam>();
  check<MF<64>, SSM, None, PRISM<1.0>, PartialRowWiseAdam>();
  check<MF<64>, SSM, FullWD, Xavier, PartialRowWiseAdam>();
  check<MF<64>, DirectAU, None, PRISM<1.0>>();
  check<MF<19>, Cosine, FullWD, Xavier, SGD>(1);
  check<MF<64>, SSM, None, PRISM<1.0>, Adam, SharedNegatives<>>();
  check<MF<64>, UltraGCN, None, PRISM<1.0>, Adam, SharedNegatives<>>();
  check<MF<64>, SSM, None, PRISM<1.0>, Adam, AllInBatchNegatives>();
  check<MF<64>, MAWU>();
  check<LightGCN<64, 3>, BPR>();
  check<SimpleX<64>, BPR>();
  check<MLP<64>, MACR>();
  check<MF<130>, DirectAU>();
  check<MLP<64>, BPR>();
}

TEST_CASE("a run that is resumed within an epoch on a device goes on to the last bit") {
  using Model = Recommender<MF<64>, BPR, FullWD>;
  const Split& split = cuda_test::small_split();
  const FitOptions options{.learning_rate = 0.01, .batch_size = 500, .epochs = 3};
  const auto path = std::filesystem::temp_directory_path() / "prism_cuda_resume.ckpt";
  Model unbroken(split.train), resumed(split.train);
  {
    TrainingSession session(cuda::device(), unbroken, split, options);
    for (int step = 0; step < 21; ++step) session.step();
    session.save(path);
    session.run();
  }
  auto session =
      TrainingSession<Model, cuda::Device>::resume(path, cuda::device(), resumed, split, options);
  session.run();
  std::filesystem::remove(path);
  CHECK(cuda_test::same_bits(unbroken, resumed));
}
