// SPDX-License-Identifier: BSD-3-Clause
// SGD, which defers the decay of rows without a gradient, has the weights of its definition; also
// how much it loses to rounding.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/temporary_file.hpp"
#include "deferred_steps.hpp"
#include "policies.hpp"
#include "support/error_of.hpp"

using namespace prism;

namespace {

/// SGD by its definition, every step on every row.
struct PlainSGD {
  static constexpr std::string_view name = "PlainSGD";

  template <class T>
  struct State {
    State(std::size_t, std::size_t, std::pmr::memory_resource* = nullptr) {}
  };

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X&, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>&, StepInfo info, const R& regularizer) const {
    const RowDecay active(regularizer, table.popularity, true);
    const RowDecay inactive(regularizer, table.popularity, false);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const double decay = gradient.in_batch(r) ? active(r) : inactive(r);
      for (std::size_t i = 0; i < table.rows.dim(); ++i) {
        T& w = table.rows[r][i];
        double g = decay * static_cast<double>(w);
        if (gradient.of(r) != nullptr) g += static_cast<double>(gradient.of(r)[i]);
        w = std::clamp(static_cast<T>(static_cast<double>(w) - info.learning_rate * g),
                       table.lowest, table.highest);
      }
    }
  }
};

template <class Backbone, class Loss, class Regularizer>
void check_same(std::size_t steps) {
  test::check_same<Backbone, Loss, Regularizer, double, SGD, PlainSGD>(steps, 1e-12);
}

/// A table of three rows: the first is in every batch, the second in every other batch, the third
/// in none.
template <class T>
class ThreeRows {
 public:
  ThreeRows() {
    for (std::size_t i = 0; i < table.size(); ++i) {
      table.data()[i] = static_cast<T>(0.3 + random_.uniform(i));
    }
  }
  /// Weights bounded to [0, 1]. @param start  initial value of all weights
  explicit ThreeRows(T start) : lowest_(0), highest_(1) { table.fill(start); }

  template <class Optimizer, class State, class Regularizer>
  void step(const Optimizer& optimizer, State& state, double learning_rate, std::uint64_t number,
            const Regularizer& regularizer) {
    const std::size_t in_batch = number % 2 == 0 ? 2 : 1;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const double drawn = standard_normal(random_, number * gradient_.size() + i);
      gradient_.data()[i] = static_cast<T>(0.01 * drawn);
    }
    const std::vector<Index> unique_rows{0, 1}, of_both{0, 1, absent}, of_one{0, absent, absent};
    const BatchSide side{.unique_rows = std::span(unique_rows).first(in_batch),
                         .num_active = in_batch,
                         .offsets = {},
                         .occurrences = {},
                         .inverse_index = in_batch == 2 ? of_both : of_one};
    if constexpr (LazyOptimizer<Optimizer, T>) {
      optimizer.apply_deferred(serial, view(), side.unique_rows, state, regularizer);
    }
    optimizer(serial, view(), TableGradient<T>::sparse(rows(std::as_const(gradient_)), side), state,
              {learning_rate, number}, regularizer);
  }

  [[nodiscard]] ParameterView<T> view() {
    return {.rows = rows(table), .lowest = lowest_, .highest = highest_};
  }

  Matrix<T> table = zeros<T>(3, 16);

 private:
  Matrix<T> gradient_ = zeros<T>(2, 16);
  Random random_{1, Stream::synthetic};
  T lowest_ = -detail::unbounded<T>, highest_ = detail::unbounded<T>;
};

}  // namespace

TEST_CASE("SGD has the weights of its definition, whatever the decay") {
  check_same<MF<dynamic>, BPR, None>(1500);
  check_same<MF<dynamic>, BPR, BatchedWD>(1500);
  check_same<MF<dynamic>, BPR, FullWD>(1500);
  check_same<MF<dynamic>, BPR, test::PopularityWD>(1500);
  check_same<MF<dynamic>, MAWU, FullWD>(400);
  check_same<LightGCN<dynamic>, BPR, FullWD>(100);
  check_same<SimpleX<dynamic>, BPR, FullWD>(100);
}

TEST_CASE("SGD has the weights of its definition where each step has another learning rate") {
  ThreeRows<double> lazy, plain;
  SGD::State<double> state(3, 16);
  PlainSGD::State<double> none(3, 16);
  for (std::uint64_t s = 1; s <= 200; ++s) {
    const double rate = 0.1 / static_cast<double>(s);
    lazy.step(SGD{}, state, rate, s, FullWD{0.5});
    plain.step(PlainSGD{}, none, rate, s, FullWD{0.5});
  }
  SGD{}.flush(serial, lazy.view(), state, FullWD{0.5});
  CHECK(test::relative_difference(lazy.table, plain.table) < 1e-13);
}

TEST_CASE("SGD in float keeps a decay that a single step would round away") {
  constexpr std::uint64_t steps = 20'000;
  constexpr double rate = 0.01, lambda = 1e-6;
  // Histories that are long, that end with an epoch, and that are full after a few steps.
  const auto check = [](std::uint64_t epoch, double change) {
    ThreeRows<float> start, with, without;
    SGD::State<float> decaying(3, 16), none(3, 16);
    double expected = 0;  // of the rows
    for (std::uint64_t s = 1; s <= steps; ++s) {
      const double of_step = rate * (1 + change * static_cast<double>(s % 50));
      expected += of_step * lambda;
      with.step(SGD{}, decaying, of_step, s, FullWD{lambda});
      without.step(SGD{}, none, of_step, s, None{});
      if (s % epoch == 0) SGD{}.flush(serial, with.view(), decaying, FullWD{lambda});
    }
    CAPTURE(epoch);
    CAPTURE(change);
    for (std::size_t r = 0; r < 3; ++r) {
      double lost = 0, sum = 0;
      for (std::size_t i = 0; i < 16; ++i) {
        lost += static_cast<double>(without.table(r, i)) - with.table(r, i);
        sum += start.table(r, i);
      }
      CAPTURE(r);
      CHECK(lost / sum / expected == doctest::Approx(1).epsilon(0.03));
    }
  };
  check(steps, 0);
  check(20, 0);
  check(steps, -0.01);
}

TEST_CASE("SGD in float keeps a row's direction in many steps of strong decay") {
  ThreeRows<float> start, rows;
  SGD::State<float> state(3, 16);
  for (std::uint64_t s = 1; s <= 400; ++s) rows.step(SGD{}, state, 0.1, s, FullWD{0.5});
  SGD{}.flush(serial, rows.view(), state, FullWD{0.5});
  for (std::size_t i = 0; i < 16; ++i) {
    const double kept = static_cast<double>(rows.table(2, i)) / start.table(2, i);
    CHECK(kept / std::pow(0.95, 400) == doctest::Approx(1).epsilon(1e-5));
  }
}

TEST_CASE("SGD clamps rows in each step, those that start out of their bounds too") {
  ThreeRows<double> lazy(10), plain(10);
  SGD::State<double> state(3, 16);
  PlainSGD::State<double> none(3, 16);
  for (std::uint64_t s = 1; s <= 10; ++s) {
    lazy.step(SGD{}, state, 0.1, s, FullWD{1});
    plain.step(PlainSGD{}, none, 0.1, s, FullWD{1});
  }
  SGD{}.flush(serial, lazy.view(), state, FullWD{1});
  CHECK(plain.table(2, 0) == doctest::Approx(std::pow(0.9, 9)));
  CHECK(test::relative_difference(lazy.table, plain.table) < 1e-13);
}

TEST_CASE("SGD refuses a state whose deferred steps cannot be") {
  const TemporaryFile place("", "state");
  const FileKind kind{.letters = "PRISMSGD", .version = 1, .name = "state"};
  struct Run {
    double learning_rate;
    std::uint32_t end;
  };
  const auto refusal = [&](std::vector<std::uint32_t> last, const std::vector<Run>& runs) {
    BinaryWriter out(place.path(), kind);
    out.number(static_cast<std::uint32_t>(runs.size()));
    for (const Run& run : runs) {
      out.number(run.learning_rate);
      out.number(run.end);
    }
    for (const std::uint32_t steps : last) {
      out.number(0.0F);  // owed
      out.number(steps);
    }
    out.publish();
    BinaryReader in(place.path(), kind);
    SGD::State<float> state(2, 1);
    return test::error_of<DataError>([&] { state.load(in); });
  };
  CHECK(refusal({0, 7}, {{0.1, 5}, {0.2, 7}}) == "nothing is refused");
  CHECK(refusal({0, 8}, {{0.1, 5}, {0.2, 7}})
            .ends_with("has rows that refer to steps after the last one"));
  CHECK(refusal({0, 1}, {{0.1, 5}, {0.2, 5}}).ends_with("has deferred steps out of order"));
  CHECK(refusal({0, 1}, std::vector<Run>(33, {0.1, 1}))
            .ends_with("has too many learning rates of deferred steps"));
}
