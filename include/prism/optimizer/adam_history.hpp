// SPDX-License-Identifier: BSD-3-Clause
// The deferred steps of a table.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/elementary.hpp"
#include "prism/kernel/power.hpp"
#include "prism/kernel/row.hpp"
#include "prism/ops/numbers.hpp"

namespace prism::inline PRISM_ISA::detail {

/// The effect of deferred steps on a row: a view of an AdamHistory, usable on a device too.
template <class T>
struct DeferredSteps {
  std::span<const AdamStep<T>> steps;
  const ZeroGradientSteps<T>* closed_forms;  // [from]
  const double* beta1_powers;                // beta1^j, up to the number of steps
  const double* beta2_powers;
  std::size_t significant_steps;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return steps.size(); }

  /// Applies the steps after the first `from` to a row w with moments m and v of n elements each.
  /// @return the number of steps that the moments then include: size(), or fewer; they must then
  ///     still be multiplied by moment_decay() of the remaining steps
  template <class Isa = isa::native>
  PRISM_HOST_DEVICE std::size_t apply(std::size_t from, T* w, T* m, T* v, T decay,
                                      const AdamConstants<T>& constant,
                                      std::size_t n) const noexcept {
    if (decay != 0) {
      adam_replay<Isa>(w, m, v, decay, constant, steps.subspan(from), n);
      return size();
    }
    // Without decay the steps have a closed form, used from the first step at which it is accurate.
    const std::size_t significant_end = from + std::min(significant_steps, size() - from);
    std::size_t accurate = from;
    while (accurate < significant_end && !closed_forms[accurate].is_accurate()) ++accurate;
    if (accurate > from) {
      adam_replay<Isa>(w, m, v, decay, constant, steps.subspan(from, accurate - from), n);
    }
    if (accurate < significant_end) {
      adam_zero_gradient_steps<Isa, T>(w, m, v, closed_forms[accurate], constant, n);
    }
    return accurate;
  }

  /// For a row without decay and with a single second moment: the product of its first moments and
  /// this factor is what the steps after the first `from` subtract from its weights.
  /// @param moment_steps  how many steps the moments include
  [[nodiscard]] PRISM_HOST_DEVICE double first_moment_factor(std::size_t from,
                                                             std::size_t moment_steps,
                                                             double second,
                                                             double epsilon) const noexcept {
    double first = beta1_powers[from - moment_steps];
    second *= beta2_powers[from - moment_steps];
    const std::size_t end = from + std::min(significant_steps, size() - from);
    double factor = 0;
    for (; from < end && !closed_forms[from].is_accurate(); ++from) {
      first *= beta1_powers[1];
      second *= beta2_powers[1];
      const AdamStep<T>& step = steps[from];
      factor += first * static_cast<double>(step.step_size) /
                (std::sqrt(second) * static_cast<double>(step.inverse_root_correction) + epsilon);
    }
    if (from < end) factor += first * closed_forms[from].sum(std::sqrt(second), epsilon);
    return factor;
  }

  /// The factors by which `count` zero-gradient steps multiply the moments.
  [[nodiscard]] PRISM_HOST_DEVICE MomentDecay<T> moment_decay(std::size_t count) const noexcept {
    return {static_cast<T>(beta1_powers[count]), static_cast<T>(beta2_powers[count])};
  }

  /// Multiplies the moments of a row by their factors.
  template <class Isa = isa::native>
  PRISM_HOST_DEVICE static void decay_moments(T* m, T* v, MomentDecay<T> moment_decay,
                                              std::size_t n) noexcept {
    scale<Isa>(m, moment_decay.first, m, n);
    scale<Isa>(v, moment_decay.second, v, n);
  }
};

/// Adam's steps since all rows of a table were last up to date, and their effect on a row that is
/// up to date with the first `from` of them.
template <class T>
class AdamHistory {
 public:
  /// @param memory  null for table_memory(); for a device execution, the device's
  explicit AdamHistory(std::pmr::memory_resource* memory = nullptr)
      : steps_(memory),
        closed_forms_(memory),
        beta1_powers_(1, 1.0, memory),
        beta2_powers_(1, 1.0, memory) {}

  /// Steps since the last clear().
  [[nodiscard]] std::size_t size() const noexcept { return recorded_.size(); }

  void clear() noexcept { recorded_.clear(); }

  /// Makes room for one more step, so that add() does not fail. Invalidates view().
  template <Execution X>
  void make_room(const X& exec, double beta1, double beta2) {
    const std::size_t last = size();
    if (last == recorded_.capacity()) recorded_.reserve(std::max<std::size_t>(256, 2 * last));
    if (last == steps_.size()) grow(exec, beta1, beta2);
  }

  /// Appends a step. A device does so after all pending work, without a wait: rows may still be
  /// reading the view of the earlier steps.
  /// @param t  number of the step since training began, from 1
  template <Execution X>
  void add(const X& exec, double learning_rate, double beta1, double beta2, std::uint64_t t) {
    make_room(exec, beta1, beta2);
    const std::size_t last = size();
    recorded_.push_back({learning_rate, beta1, beta2, t});
    const double number = static_cast<double>(t);
    // The expansion point: the weights beta1^j of the steps have their mean at j = 1 / (1 - beta1).
    const double mean_delay = 1 / (1 - beta1);
    const double expansion_point =
        elementary::pow(beta2, mean_delay / 2) /
        std::sqrt(elementary::one_minus_pow(beta2, number - 1 + mean_delay));
    const double step_size = learning_rate / elementary::one_minus_pow(beta1, number);
    const double correction = 1 / std::sqrt(elementary::one_minus_pow(beta2, number));
    const AdamStep<T> step(learning_rate, beta1, beta2, t);
    AdamStep<T>* const steps = steps_.data();
    ZeroGradientSteps<T>* const closed_forms = closed_forms_.data();
    const double *const first = beta1_powers_.data(), *const second = beta2_powers_.data();
    const std::size_t updated = std::min(significant_steps_, size());
    // On the host in one chunk, because there are few.
    for_each_element(exec, updated, updated, [=] PRISM_HOST_DEVICE(std::size_t j) {
      if (j == 0) {
        steps[last] = step;
        closed_forms[last] = ZeroGradientSteps<T>(expansion_point);
      }
      closed_forms[last - j].add(step_size * first[j + 1], correction * std::sqrt(second[j + 1]));
    });
  }

  /// A view of the steps for loops over rows, valid until the next add() or clear().
  [[nodiscard]] DeferredSteps<T> view() const noexcept {
    return {std::span<const AdamStep<T>>(steps_.data(), size()), closed_forms_.data(),
            beta1_powers_.data(), beta2_powers_.data(), significant_steps_};
  }

  /// Writes the arguments of each add(); load() recomputes the rest, bit-identical.
  void save(BinaryWriter& out) const {
    out.number(std::uint64_t{recorded_.size()});
    for (const Recorded& step : recorded_) {
      out.number(step.learning_rate);
      out.number(step.beta1);
      out.number(step.beta2);
      out.number(step.t);
    }
  }
  /// @param exec  the same as for add(): another execution's steps differ in rounding
  template <Execution X>
  void load(BinaryReader& in, const X& exec) {
    clear();
    for (auto left = in.number<std::uint64_t>(); left > 0; --left) {
      const auto learning_rate = in.number<double>(), beta1 = in.number<double>(),
                 beta2 = in.number<double>();
      add(exec, learning_rate, beta1, beta2, in.number<std::uint64_t>());
    }
  }

  // The parts of add(); public because CUDA compilers accept device lambdas only in public
  // functions.

  /// Makes a list longer; new elements are uninitialised.
  template <class Number, Execution X>
  static void make_longer(const X& exec, TableVector<Number>& list, std::size_t size) {
    TableVector<Number> longer(size, list.get_allocator());
    copy_numbers(exec, std::span<const Number>(list), std::span(longer).first(list.size()));
    synchronise(exec);  // a device may be reading the list
    list = std::move(longer);
  }

  template <Execution X>
  static void append_powers(const X& exec, double beta, TableVector<double>& powers,
                            std::size_t size) {
    const std::size_t first = powers.size();
    make_longer(exec, powers, size);
    double* const power = powers.data();
    for_each_element(exec, 1, 1, [=] PRISM_HOST_DEVICE(std::size_t) {
      for (std::size_t j = first; j < size; ++j) power[j] = power[j - 1] * beta;
    });
  }

 private:
  /// The arguments of add().
  struct Recorded {
    double learning_rate, beta1, beta2;
    std::uint64_t t;
  };

  /// Doubles the capacity, or makes the first. On a device, all of it runs there.
  template <Execution X>
  void grow(const X& exec, double beta1, double beta2) {
    if (significant_steps_ == 0) set_significant_steps(beta1, beta2);
    constexpr std::size_t least = 256;
    const std::size_t capacity = std::max(least, 2 * steps_.size());
    append_powers(exec, beta1, beta1_powers_, capacity + 1);
    append_powers(exec, beta2, beta2_powers_, capacity + 1);
    make_longer(exec, closed_forms_, capacity);
    make_longer(exec, steps_, capacity);  // last: its size is the capacity
  }

  void set_significant_steps(double beta1, double beta2) {
    // From one zero-gradient step to the next, an update shrinks by this factor. The sum of all
    // updates after the last significant one is below rounding.
    const double decay_ratio = beta1 / std::sqrt(beta2);
    constexpr double negligible = std::numeric_limits<T>::epsilon() / 1024;
    significant_steps_ = std::numeric_limits<std::size_t>::max();
    if (beta1 == 0) {
      significant_steps_ = 1;  // a step without a gradient does not move the row
    } else if (decay_ratio < 1) {
      significant_steps_ =
          static_cast<std::size_t>(elementary::log(negligible) / elementary::log(decay_ratio)) + 1;
    }
  }

  std::vector<Recorded> recorded_;  // one for each step
  // With spare capacity; written and read by the execution.
  TableVector<AdamStep<T>> steps_;
  TableVector<ZeroGradientSteps<T>> closed_forms_;  // [from]
  TableVector<double> beta1_powers_;                // beta1^j
  TableVector<double> beta2_powers_;
  std::size_t significant_steps_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail
