// SPDX-License-Identifier: BSD-3-Clause
// How the learning rate changes over a training: a factor on FitOptions::learning_rate for each
// step.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"

namespace prism::inline PRISM_ISA {

/// The position of a step in a training.
struct StepPosition {
  std::size_t step = 0;   ///< from 1
  std::size_t epoch = 0;  ///< from 1
  std::size_t steps_per_epoch = 0;
  std::size_t steps = 0;  ///< in all epochs that FitOptions::epochs allows
};

/// The same rate at every step.
struct ConstantSchedule {
  [[nodiscard]] double operator()(const StepPosition& /*at*/) const noexcept { return 1; }
  [[nodiscard]] std::string label() const { return "constant"; }
};

/// In equal rises from learning_rate / steps up to learning_rate, which step `steps` has, and all
/// after it.
struct WarmUpSchedule {
  std::size_t steps = 1000;

  [[nodiscard]] double operator()(const StepPosition& at) const noexcept {
    return at.step >= steps ? 1 : static_cast<double>(at.step) / static_cast<double>(steps);
  }
  [[nodiscard]] std::string label() const { return "warm-up " + std::to_string(steps); }
};

/// After a warm-up, half a cosine from learning_rate down towards learning_rate * floor, which it
/// has reached one step after the last that FitOptions::epochs allows. Loshchilov, Hutter: SGDR,
/// ICLR 2017, without restarts. Early stopping does not know of it: give it patience enough.
struct CosineSchedule {
  std::size_t warm_up = 0;  ///< steps, as WarmUpSchedule
  double floor = 0;         ///< in [0, 1]

  [[nodiscard]] double operator()(const StepPosition& at) const noexcept {
    if (at.step < warm_up) return WarmUpSchedule{warm_up}(at);
    const std::size_t first = std::max<std::size_t>(warm_up, 1);
    const double length = static_cast<double>(std::max(at.steps + 1, first + 1) - first);
    const double done = std::min(1.0, static_cast<double>(at.step - first) / length);
    return floor + (1 - floor) * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
  /// @throws ArgumentError  for a floor outside [0, 1]
  void check() const {
    require(floor >= 0 && floor <= 1, "schedule.floor",
            "must be in [0, 1], not " + format_number(floor));
  }
  [[nodiscard]] std::string label() const {
    return "cosine, warm-up " + std::to_string(warm_up) + ", floor " + format_number(floor);
  }
};

/// A schedule: one of the above, or any function of a StepPosition that returns a factor, finite
/// and at least 0. A resumed run goes on to the last bit where the factor depends on the position
/// alone.
class Schedule {
 public:
  Schedule() : Schedule(ConstantSchedule{}) {}
  template <class Function>
  requires(!std::same_as<Function, Schedule> &&
           std::is_invocable_r_v<double, const Function&, const StepPosition&>)
      Schedule(Function function)
      : label_("a function") {
    if constexpr (requires { function.check(); }) check_ = [function] { function.check(); };
    if constexpr (requires { function.label(); }) label_ = function.label();
    factor_ = std::move(function);
  }

  /// @throws ArgumentError  for a factor that is not finite, or below 0
  [[nodiscard]] double factor(const StepPosition& at) const {
    const double factor = factor_(at);
    require(is_finite(factor) && factor >= 0, "schedule",
            "must be a finite number of at least 0 at each step, not " + format_number(factor) +
                " at step " + std::to_string(at.step));
    return factor;
  }
  /// What it is, in words; functions are not told apart.
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    if (check_) check_();
  }

 private:
  std::function<double(const StepPosition&)> factor_;
  std::function<void()> check_;
  std::string label_;
};

}  // namespace prism::inline PRISM_ISA
