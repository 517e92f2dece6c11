// SPDX-License-Identifier: BSD-3-Clause
// Built with -ffast-math, with which compilers assume that every number is finite: divergence is
// detected all the same.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <prism/prism.hpp>
#include <string>
#include <vector>

using namespace prism;

namespace {

#if !defined(__FAST_MATH__)
#error "this file is to be compiled with -ffast-math"
#endif

// From outside, so that the compiler does not know them.
volatile std::uint64_t infinity_double = 0x7ff0'0000'0000'0000, nan_double = 0xfff8'0000'0000'0001;
volatile std::uint32_t infinity_float = 0xff80'0000, nan_float = 0x7fc0'0000;
volatile float huge = 3e38F;

const Split& small_split() {
  static const Split split = [] {
    Split parts = random_split(
        synthetic_interactions({.users = 150, .items = 120, .interactions_per_user = 12}),
        {.validation = 0.1, .test = 0.1, .seed = 1});
    parts.validation = {};
    return parts;
  }();
  return split;
}

/// The message of fit's DivergenceError; "nothing" if it throws none.
template <class Model>
std::string divergence(double learning_rate, std::size_t batch_size = 100000) {
  Model model(small_split().train);
  const std::vector<float> start(model.items().begin(), model.items().end());
  try {
    fit(model, small_split(),
        {.learning_rate = learning_rate, .batch_size = batch_size, .epochs = 3}, Silent());
  } catch (const DivergenceError& error) {
    for (const float x : model.items()) CHECK(detail::is_finite(x));
    return error.what();
  }
  return "nothing";
}

bool says(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

std::string refused(double value) {
  try {
    require_non_negative("x", value);
    require_positive("x", value);
  } catch (const ArgumentError& error) {
    return error.argument();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("a number is finite by its bits") {
  CHECK_FALSE(detail::is_finite(std::bit_cast<double>(std::uint64_t{infinity_double})));
  CHECK_FALSE(detail::is_finite(std::bit_cast<double>(std::uint64_t{nan_double})));
  CHECK_FALSE(detail::is_finite(std::bit_cast<float>(std::uint32_t{infinity_float})));
  CHECK_FALSE(detail::is_finite(std::bit_cast<float>(std::uint32_t{nan_float})));
  CHECK(detail::is_nan(std::bit_cast<double>(std::uint64_t{nan_double})));
  CHECK_FALSE(detail::is_nan(std::bit_cast<float>(std::uint32_t{infinity_float})));
  CHECK(detail::is_finite(float{huge}));
  // The compiler sees a sum here, and may assume that it does not overflow.
  CHECK_FALSE(detail::is_finite(huge + huge));
  CHECK_FALSE(detail::is_finite((huge + huge) - (huge + huge) * 2.0F));
  static_assert(detail::is_finite(1.0) && detail::is_finite(-0.0F) &&
                detail::is_finite(std::numeric_limits<double>::max()));
}

TEST_CASE("options that are no finite numbers are refused") {
  CHECK(refused(std::bit_cast<double>(std::uint64_t{infinity_double})) == "x");
  CHECK(refused(std::bit_cast<double>(std::uint64_t{nan_double})) == "x");
  CHECK(refused(1) == "nothing");
}

TEST_CASE("rows whose squares overflow") {
  using Model = Recommender<MF<8>, Cosine, None, Xavier, SGD>;
  says(divergence<Model>(1e30), "the weights, or their squares, are");
  says(divergence<Model>(1e24), "the weights, or their squares, are");
}

TEST_CASE("a loss and weights that become infinite, or no numbers") {
  says(divergence<Recommender<MF<8>, BPR, None, Xavier, SGD>>(1e30, 300), "no longer finite");
  says(divergence<Recommender<MF<8>, Dot, None, Xavier, SGD>>(1e300), "no longer finite");
  says(divergence<Recommender<MF<8>, Dot, FullWD, Xavier, SGD>>(1e30, 300), "no longer finite");
  says(divergence<Recommender<MLP<8, 2>, BPR, None, Xavier, SGD>>(1e30, 300), "no longer finite");
}

TEST_CASE("moments that overflow while the weights stand still") {
  // The square of a gradient above 1e19 is no float.
  says(divergence<Recommender<MF<8>, Euclidean, None, Xavier, Adam>>(1e25, 300),
       "no longer finite");
  says(divergence<Recommender<MF<8>, Euclidean, None, Xavier, DenseAdam>>(1e25, 300),
       "no longer finite");
}

TEST_CASE("masked negatives do not make a loss diverge") {
  const auto trains = []<class Loss>(const Loss& loss) {
    INFO(std::string(Loss::name));
    Recommender<MF<8>, Loss, None, Xavier, Adam, SharedNegatives<>> model(
        small_split().train, {.loss = loss, .sampler = {.mask = NegativeMask::seen_items}});
    fit(model, small_split(), {.learning_rate = 0.01, .batch_size = 300, .epochs = 2}, Silent());
    for (const float x : model.items()) CHECK(detail::is_finite(x));
  };
  trains(BPR{.negatives = 30});
  trains(SSM{.negatives = 30});
  trains(BSL{.negatives = 30});
  trains(CCL{.negatives = 30});
  trains(UltraGCN{.negatives = 30});
  for (const Surrogate surrogate : {Surrogate::tanh, Surrogate::atan, Surrogate::relu}) {
    trains(PSL{.negatives = 30, .surrogate = surrogate});
  }
  trains(SLK{.negatives = 30});
}

TEST_CASE("ranking is the same with -ffast-math") {
  const Interactions& train = small_split().train;
  const Recommender<MF<8>, BPR> model(train);
  const Scorer<float> scorer = model.scorer();
  std::vector<Index> users(train.users());
  for (Index u = 0; u < users.size(); ++u) users[u] = u;
  const Interactions* const seen[] = {&train};
  constexpr std::size_t k = 10;
  std::size_t wrong = 0;
  rank_items(
      serial, scorer, users, k, seen, Similarity::dot,
      [&](std::size_t position, std::span<const ScoredItem<float>> best) {
        const Index user = users[position];
        if (best.size() != std::min<std::size_t>(k, train.items() - train.user_degree()[user])) {
          ++wrong;
          return;
        }
        for (std::size_t j = 0; j < best.size(); ++j) {
          if (train.contains(user, best[j].item)) ++wrong;
          if (j > 0 && best[j].score > best[j - 1].score) ++wrong;
        }
        for (Index item = 0; item < train.items(); ++item) {
          if (train.contains(user, item)) continue;
          const float score = dot(model.tables().users[user], model.tables().items[item], 8);
          if (score > best.back().score + 1e-5F &&
              std::ranges::none_of(best, [&](const auto& s) { return s.item == item; })) {
            ++wrong;
          }
        }
      });
  CHECK(wrong == 0);
  const Report report = evaluate(model, small_split().test, {.k = k, .exclude = {&train}});
  CHECK(report.users > 0);
  CHECK(report.ndcg > 0);
}
