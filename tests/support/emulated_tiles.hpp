// SPDX-License-Identifier: BSD-3-Clause
// An instruction set whose tile unit is plain C++, for tests on processors without one.
#pragma once

#include <prism/kernel/bfloat16_tile.hpp>
#include <prism/kernel/pack.hpp>

namespace test {

struct EmulatedTileIsa {};

}  // namespace test

template <>
inline constexpr bool prism::detail::has_single_numbers<test::EmulatedTileIsa> = true;
template <>
struct prism::detail::TileUnit<test::EmulatedTileIsa> {
  using type = prism::detail::EmulatedTiles;
};
