// SPDX-License-Identifier: BSD-3-Clause
// Whole lists of numbers, wherever they are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/memory.hpp"
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
           // A maximum of integers, which compilers vectorise.
           auto largest = detail::magnitude_bits(T{0});
           for (std::size_t i = chunk * grain + Lanes<Isa>::first(); i < end;
                i += Lanes<Isa>::step()) {
             const auto bits = detail::magnitude_bits(numbers[i]);
             largest = bits > largest ? bits : largest;
           }
           return Lanes<Isa>::sum(largest < detail::infinity_bits<T> ? 0.0 : 1.0);
         }) == 0;
}

/// numbers[i] = i; on a device, returns before it is done.
template <class Number, Execution X>
void number_from_zero(const X& exec, std::span<Number> numbers) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  for_each_element(exec, numbers.size(), grain,
                   [=] PRISM_HOST_DEVICE(std::size_t i) { numbers[i] = static_cast<Number>(i); });
}

/// to[i] = from[i]; on a device, returns before it is done.
/// @param to  of the same size
template <class T, Execution X>
void copy_numbers(const X& exec, std::span<const T> from, std::span<T> to) {
  constexpr std::size_t grain = std::size_t{1} << 16;
  for_each_element(exec, from.size(), grain,
                   [=] PRISM_HOST_DEVICE(std::size_t i) { to[i] = from[i]; });
}

/// Copies numbers that an execution has computed, or is still computing, to the host.
template <class T, Execution X>
[[nodiscard]] std::vector<T> numbers_on_host(const X& exec, std::span<const T> numbers) {
  std::vector<T> copy(numbers.size());
  copy_across(device_memory(memory_of(exec)), numbers, std::span(copy));
  return copy;
}

/// Numbers as the host reads them: a view of the host's own, or a copy of those that a device
/// reads.
template <class T, Execution X>
class HostView {
 public:
  /// @param numbers  in the execution's memory or the host's; the host's must outlive the object
  HostView(const X& exec, std::span<const T> numbers) : numbers_(numbers) {
    if constexpr (DeviceExecution<X>) {
      if (!can_read(exec, numbers.data())) return;
      copy_ = numbers_on_host(exec, numbers);
      numbers_ = copy_;
    }
  }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  [[nodiscard]] std::span<const T> numbers() const noexcept { return numbers_; }

 private:
  std::vector<T> copy_;
  std::span<const T> numbers_;
};

}  // namespace prism::inline PRISM_ISA
