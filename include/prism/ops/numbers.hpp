// SPDX-License-Identifier: BSD-3-Clause
// Whole lists of numbers, wherever they are.
#pragma once

#include <cstddef>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/pack.hpp"

namespace prism::inline PRISM_ISA {

/// Whether every number is finite.
template <class T, Execution X>
[[nodiscard]] bool all_finite(const X& exec, std::span<const T> numbers) {
  constexpr std::size_t grain = std::size_t{1} << 14;
  const std::size_t chunks = (numbers.size() + grain - 1) / grain;
  return sum_over_rows(exec, chunks, 1, [=] PRISM_HOST_DEVICE(std::size_t chunk) -> double {
           using Isa = typename X::isa;
           const std::size_t end =
               (chunk + 1) * grain < numbers.size() ? (chunk + 1) * grain : numbers.size();
           // A maximum of integers, which compilers put in packs.
           auto largest = detail::magnitude_bits(T{0});
           for (std::size_t i = chunk * grain + Lanes<Isa>::first(); i < end;
                i += Lanes<Isa>::step()) {
             const auto bits = detail::magnitude_bits(numbers[i]);
             largest = bits > largest ? bits : largest;
           }
           return Lanes<Isa>::sum(largest < detail::infinity_bits<T> ? 0.0 : 1.0);
         }) == 0;
}

/// to[i] = from[i]; returns before a device has done so.
/// @param to  of the same size
template <class T, Execution X>
void copy_numbers(const X& exec, std::span<const T> from, std::span<T> to) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  for_each_element(exec, from.size(), grain,
                   [=] PRISM_HOST_DEVICE(std::size_t i) { to[i] = from[i]; });
}

}  // namespace prism::inline PRISM_ISA
