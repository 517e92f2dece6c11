// SPDX-License-Identifier: BSD-3-Clause
// A user-defined optimizer: Adam that turns rows, each step by about the same angle, and keeps
// their magnitudes. With it PRISM's long rows learn as fast as short ones: custom_optimizer [FILE
// [MIN_RATING]]
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <prism/extend.hpp>
#include <prism/prism.hpp>
#include <string_view>

using namespace prism;

constexpr Domain below_one{.text = "in [0, 1)", .low = 0, .high = 1, .excludes_high = true};

/// Adam of rows' directions. The gradient and the step are multiplied by the row's magnitude, and
/// only the step's component orthogonal to the row is applied. Moments are corrected for their
/// start by the number of all steps, so that a row's first steps are larger. Rows without a
/// gradient stay. For embeddings: parameters of one column cannot turn.
struct AngularAdam {
  static constexpr std::string_view name = "AngularAdam";
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  static constexpr auto options =
      option_table(option<&AngularAdam::beta1>("beta1", below_one),
                   option<&AngularAdam::beta2>("beta2", below_one),
                   option<&AngularAdam::epsilon>("epsilon", domain::positive));

  /// Two moments for each number of a table, which are saved in checkpoints.
  template <class T>
  using State = DenseAdam::State<T>;

  template <Execution X, class T, RegularizerPolicy R>
  void operator()(const X& exec, const ParameterView<T>& table, const TableGradient<T>& gradient,
                  State<T>& state, StepInfo info, const R& /*regularizer*/) const {
    const auto step = static_cast<double>(info.step);
    const T first_factor = static_cast<T>(1 / (1 - std::pow(beta1, step)));
    const T second_factor = static_cast<T>(1 / (1 - std::pow(beta2, step)));
    const T rate = static_cast<T>(info.learning_rate), b1 = static_cast<T>(beta1),
            b2 = static_cast<T>(beta2), small = static_cast<T>(epsilon);
    const Rows<T> moments = rows(state.first), squares = rows(state.second);
    constexpr std::size_t grain = 1024;  // rows that a thread takes at once
    for_each_row(exec, table.rows.size(), grain, [=](std::size_t r) {
      const T* const g = gradient.of(r);
      if (g == nullptr) return;
      T *const w = table.rows[r], *const m = moments[r], *const v = squares[r];
      const std::size_t dim = table.rows.dim();
      const auto length = [&] {
        T sum{};
        for (std::size_t c = 0; c < dim; ++c) sum += w[c] * w[c];
        return std::sqrt(sum);
      };
      const T magnitude = length();
      if (magnitude == 0) return;
      const auto direction = [&](std::size_t c) {
        return first_factor * m[c] / (std::sqrt(second_factor * v[c]) + small);
      };
      T along{};
      for (std::size_t c = 0; c < dim; ++c) {
        const T scaled = g[c] * magnitude;
        m[c] = b1 * m[c] + (1 - b1) * scaled;
        v[c] = b2 * v[c] + (1 - b2) * scaled * scaled;
        along += direction(c) * w[c];
      }
      along /= magnitude * magnitude;
      for (std::size_t c = 0; c < dim; ++c) {
        w[c] -= rate * magnitude * (direction(c) - along * w[c]);
      }
      const T shrink = magnitude / length();
      for (std::size_t c = 0; c < dim; ++c) w[c] *= shrink;
    });
  }
};
static_assert(OptimizerPolicy<AngularAdam>);

template <class Optimizer>
void train(const Split& split, double learning_rate) {
  Recommender<MF<64>, DirectAU, None, PRISM<1.0>, Optimizer> model(split.train, {.seed = 123});
  const History history = fit(model, split, {.learning_rate = learning_rate});
  const EvaluateOptions unseen{.exclude = {&split.validation}};
  std::printf("%-12s rate %.3f, best epoch %zu: NDCG@20 %.4f", Optimizer::name.data(),
              learning_rate, history.best_epoch, evaluate(model, split.test, unseen).ndcg);
  const auto powers = rankings_over(&Ranking::power, default_powers());
  model.set_ranking(best_point(ranking_curve(model, split.validation, powers)).ranking);
  std::printf(", with power %.2f when ranking %.4f\n", *model.ranking().power,
              evaluate(model, split.test, unseen).ndcg);
}

int main(int argc, char** argv) try {
  ReadOptions reading;
  if (argc > 2) reading.min_rating = std::atof(argv[2]);
  const Interactions data = argc > 1 ? read_interactions(argv[1], reading)
                                     : synthetic_interactions({.users = 1000, .items = 800});
  const Split split = random_split(data, {.validation = 0.1, .test = 0.1, .seed = 123});
  train<Adam>(split, 0.001);
  train<AngularAdam>(split, 0.003);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
