// SPDX-License-Identifier: BSD-3-Clause
// A device gives rows the magnitudes that the host gives them: the same bits where both are exact.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <prism/execution/serial_grid.hpp>

#include "guarded_grid.hpp"
#include "policies.hpp"
#include "support/error_of.hpp"
#include "support/ranked_rows.hpp"

using namespace prism;
using test::graph_of_degrees;
using test::numbers;
using test::refusal;
using test::rows_of_exact_magnitude;

namespace {

/// What of exact rows is exact on a device too.
const std::vector<Ranking>& exact_rankings() {
  static const std::vector<Ranking> rankings{{.power = 0.25},
                                             {.power = 1, .users = true},
                                             {.alpha = 0.5, .exponent = 1},
                                             {.exponent = 2},
                                             {.exponent = 0},
                                             {.exponent = -1, .users = true},
                                             {.magnitudes = std::vector<double>(300, 3.0)}};
  return rankings;
}

template <DeviceExecution X>
void check_device(const X& exec) {
  const auto in_memory = [&](const Matrix<float>& table) {
    Matrix<float> copy = make_table<float>(table.shape(0), table.shape(1), memory_of(exec));
    copy_across(device_memory(memory_of(exec)), std::span(table.data(), table.size()),
                std::span(copy.data(), copy.size()));
    return copy;
  };
  Matrix<float> items = rows_of_exact_magnitude(333);
  std::fill_n(rows(items)[6], 16, 0.0F);
  const Scorer<float> on_host{Output<float>(rows_of_exact_magnitude(20), items), {}, {}, 0.5F};
  const Scorer<float> on_device{
      Output<float>(in_memory(rows_of_exact_magnitude(20)), in_memory(items)), {}, {}, 0.5F};
  const Interactions train = graph_of_degrees(300), device_train(train, memory_of(exec));
  for (const Ranking& ranking : exact_rankings()) {
    CAPTURE(ranking.label());
    const Scorer<float> expected = with_ranking(serial, on_host, ranking, train);
    for (const Interactions* part : {&train, &device_train}) {
      const Scorer<float> ranked = with_ranking(exec, on_device, ranking, *part);
      const auto check = [&](Rows<const float> found, Rows<const float> wanted) {
        CHECK(can_read(exec, found.data()));
        CHECK(numbers_on_host(exec, std::span(found.data(), found.num_elements())) ==
              numbers(wanted));
      };
      check(ranked.output.items(), expected.output.items());
      check(ranked.output.users(), expected.output.users());
      CHECK(ranked.offset == 0.5F);
    }
    // The host computes what a device cannot read.
    const Scorer<float> of_host = with_ranking(exec, on_host, ranking, device_train);
    CHECK(numbers(of_host.output.items()) == numbers(expected.output.items()));
    CHECK(numbers(of_host.output.users()) == numbers(expected.output.users()));
  }
  const Scorer<float> same = with_ranking(exec, on_device, {}, train);
  CHECK(same.output.items().data() == on_device.output.items().data());
  // Which row it was, the host finds out in a copy.
  CHECK(refusal([&] { return with_ranking(exec, on_device, {.exponent = 100}, train); }) ==
        "exponent: must be closer to 0, not 100: a row of magnitude 16 to that power is too large "
        "or too small");
  std::fill_n(rows(items)[7], 16, 1e30F);
  const Scorer<float> of_long{
      Output<float>(in_memory(rows_of_exact_magnitude(20)), in_memory(items))};
  CHECK(refusal([&] { return with_ranking(exec, of_long, {.power = 1}, train); }) ==
        "scorer: has a row whose squared magnitude is not finite, so it has no score");
}

}  // namespace

TEST_CASE("a device gives rows the host's magnitudes") { check_device(serial_grid); }

TEST_CASE("of rows in a device's memory the host reads none") { check_device(test::guarded_grid); }

TEST_CASE("a model in a device's memory ranks by its ranking as on the host") {
  const Split split = random_split(synthetic_interactions({.users = 120, .items = 90}));
  using Model = Recommender<MF<16>, BPR, None, PRISM<1.0>>;
  const Model model(split.train, {.ranking = {.power = 0.7, .exponent = 1}});
  const Model on_device(model, memory_of(test::guarded_grid));
  const auto check = [](const Report& found, const Report& expected) {
    CHECK(found.ndcg == doctest::Approx(expected.ndcg));
    CHECK(found.average_popularity == doctest::Approx(expected.average_popularity));
  };
  const Report as_ranked = evaluate(model, split.test);
  check(evaluate(test::guarded_grid, on_device, split.test), as_ranked);
  check(evaluate(test::guarded_grid, model, split.test), as_ranked);
  const std::vector<Ranking> rankings{Ranking{}, {.alpha = 0}, model.ranking()};
  const auto curve = ranking_curve(test::guarded_grid, on_device, split.test, rankings);
  const auto expected = ranking_curve(model, split.test, rankings);
  for (std::size_t k = 0; k < 3; ++k) check(curve[k].report, expected[k].report);
  check(curve[2].report, as_ranked);
  CHECK(curve[0].report.average_popularity > curve[1].report.average_popularity);
}
