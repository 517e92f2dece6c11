// SPDX-License-Identifier: BSD-3-Clause
// Scorers of random rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <prism/prism.hpp>
#include <span>
#include <utility>

namespace test {

struct Sizes {
  prism::Index users = 100, items = 1500;
  std::size_t dim = 64;
};

template <class T>
prism::Matrix<T> normal_rows(std::size_t size, std::size_t dim, std::uint64_t seed) {
  prism::Matrix<T> table = prism::zeros<T>(size, dim);
  const prism::Random random(seed, prism::Stream::synthetic);
  for (std::size_t i = 0; i < size * dim; ++i)
    table.data()[i] = static_cast<T>(prism::standard_normal(random, i));
  return table;
}

inline constexpr auto as_it_is = [](std::size_t, auto) {};

/// Two tables of normal numbers, their rows modified by functions.
template <class T, class ToUser = decltype(as_it_is), class ToItem = decltype(as_it_is)>
prism::Scorer<T> scorer_of(const Sizes& sizes, const ToUser& to_user = {},
                           const ToItem& to_item = {}) {
  prism::Matrix<T> users = normal_rows<T>(sizes.users, sizes.dim, 1);
  prism::Matrix<T> items = normal_rows<T>(sizes.items, sizes.dim, 2);
  for (std::size_t u = 0; u < sizes.users; ++u) {
    to_user(u, std::span(prism::rows(users)[u], sizes.dim));
  }
  for (std::size_t i = 0; i < sizes.items; ++i) {
    to_item(i, std::span(prism::rows(items)[i], sizes.dim));
  }
  return {prism::Output<T>(std::move(users), std::move(items))};
}

}  // namespace test
