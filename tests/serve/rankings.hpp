// SPDX-License-Identifier: BSD-3-Clause
// Models and rankings for the tests of a model's ranking in what serves it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <prism/prism.hpp>
#include <vector>

#include "policies.hpp"
#include "serve/model_folders.hpp"

namespace test {

using Factors = Recommender<MF<8>, BPR>;
using Towers = Recommender<MLP<8>, MACR>;
using Graph = Recommender<LightGCN<8, 2>, BPR>;
using InDouble = Recommender<MF<4>, BPR, None, PRISM<1.0>, Adam, UniformNegatives, double>;

inline double logarithm(double popularity) { return std::log(popularity + 3); }

inline std::vector<Ranking> rankings(std::size_t items) {
  std::vector<double> magnitudes(items);
  for (std::size_t i = 0; i < items; ++i) magnitudes[i] = 0.1 + static_cast<double>(i % 7) / 3;
  return {{.power = 0.1 + 0.2},
          {.alpha = 0.75, .users = true},
          {.exponent = 0.5},
          {.exponent = 0},
          {.power = -0.5, .exponent = 1, .users = true},
          {.magnitude = logarithm},
          {.exponent = 0.25, .magnitude = logarithm},
          {.magnitudes = magnitudes},
          {.power = 0.4, .powers = {0, 0.4, 0.7}},
          {.alphas = {0.1, 1.5}}};
}

template <class T>
bool same(Rows<const T> a, Rows<const T> b) {
  return a.size() == b.size() && a.dim() == b.dim() &&
         std::equal(a.data(), a.data() + a.num_elements(), b.data());
}
template <class T>
bool same(const Scorer<T>& a, const Scorer<T>& b) {
  return same(a.output.users(), b.output.users()) && same(a.output.items(), b.output.items()) &&
         a.user_factor == b.user_factor && a.item_factor == b.item_factor && a.offset == b.offset;
}
/// Apart from a function.
inline bool same(const Ranking& a, const Ranking& b) {
  return a.alpha == b.alpha && a.power == b.power && a.exponent == b.exponent &&
         a.magnitudes == b.magnitudes && a.alphas == b.alphas && a.powers == b.powers &&
         a.users == b.users;
}

template <class T>
double magnitude(Rows<const T> rows, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < rows.dim(); ++c) {
    sum += static_cast<double>(rows[row][c]) * static_cast<double>(rows[row][c]);
  }
  return std::sqrt(sum);
}

}  // namespace test
