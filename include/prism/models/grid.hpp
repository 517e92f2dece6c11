// SPDX-License-Identifier: BSD-3-Clause
// The grid of an experiment as a type: every combination of the listed policies, checked at compile
// time.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "prism/core/config.hpp"
#include "prism/model/recommender.hpp"
#include "prism/models/types.hpp"
#include "prism/policy/label.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

template <class... Lists>
struct Concatenated {
  using type = Types<>;
};
template <class... T>
struct Concatenated<Types<T...>> {
  using type = Types<T...>;
};
template <class... T, class... U, class... More>
struct Concatenated<Types<T...>, Types<U...>, More...> : Concatenated<Types<T..., U...>, More...> {
};

/// Extends the chosen policies by one of each remaining list.
template <class Chosen, class... Lists>
struct CartesianProduct;
template <class... Chosen>
struct CartesianProduct<Types<Chosen...>> {
  using type = Types<Recommender<Chosen...>>;
};
template <class... Chosen, class... Policies, class... Lists>
struct CartesianProduct<Types<Chosen...>, Types<Policies...>, Lists...>
    : Concatenated<typename CartesianProduct<Types<Chosen..., Policies>, Lists...>::type...> {};

template <class List>
inline constexpr bool is_types = false;
template <class... T>
inline constexpr bool is_types<Types<T...>> = true;

template <class... Lists>
struct CheckedGrid {
  static_assert((is_types<Lists> && ...),
                "Grid: each argument must be a list of policies such as Types<BPR, DirectAU>");
  using type = Types<>;
};
template <class... Lists>
  requires(is_types<Lists> && ...)
struct CheckedGrid<Lists...> : CartesianProduct<Types<>, Lists...> {};

}  // namespace detail

/// All Recommenders with one policy of each list, in the order of Recommender's parameters; the
/// last list varies fastest.
/// `Grid<Types<MF<64>>, Types<BPR, DirectAU>, Types<None>, Types<Xavier, PRISM<1.0>>>`
template <class Backbones, class Losses, class... Lists>
using Grid = typename detail::CheckedGrid<Backbones, Losses, Lists...>::type;

/// The number of models in a grid.
template <class... Models>
[[nodiscard]] constexpr std::size_t size(Types<Models...>) noexcept {
  return sizeof...(Models);
}

/// A model's name with its options; Released has its own name_of().
template <class Model>
[[nodiscard]] std::string model_name(const typename Model::Options& options) {
  if constexpr (requires { Model::name_of(options); }) {
    return Model::name_of(options);
  } else {
    return name_of(options);
  }
}

/// A model's name, from its types alone, the same on every compiler:
/// "MF<64> + DirectAU + None + PRISM<1>".
template <class Model>
[[nodiscard]] std::string model_name() {
  return model_name<Model>(typename Model::Options{});
}

/// Calls visit.template operator()<Model>() for each model of the grid, in order.
template <class List, class Visit>
void for_each_model(const Visit& visit) {
  [&]<class... Models>(Types<Models...>) { (visit.template operator()<Models>(), ...); }(List{});
}

}  // namespace prism::inline PRISM_ISA
