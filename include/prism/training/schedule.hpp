// SPDX-License-Identifier: BSD-3-Clause
// How the learning rate changes during training: a factor on the initial rate for each step.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/training/history.hpp"

namespace prism::inline PRISM_ISA {

/// The position of a step in a training run.
struct StepPosition {
  std::size_t step = 0;   ///< from 1
  std::size_t epoch = 0;  ///< from 1
  std::size_t steps_per_epoch = 0;
  std::size_t steps = 0;  ///< in all epochs that FitOptions::epochs allows
};

/// The same learning rate at every step.
struct ConstantSchedule {
  [[nodiscard]] double operator()(const StepPosition& /*at*/) const noexcept { return 1; }
  [[nodiscard]] std::string label() const { return "constant"; }
};

/// Rises linearly from learning_rate / steps to learning_rate, which step `steps` and all later
/// steps have.
struct WarmUpSchedule {
  std::size_t steps = 1000;

  [[nodiscard]] double operator()(const StepPosition& at) const noexcept {
    return at.step >= steps ? 1 : static_cast<double>(at.step) / static_cast<double>(steps);
  }
  [[nodiscard]] std::string label() const { return "warm-up " + std::to_string(steps); }
};

/// After a warm-up, half a cosine from learning_rate down towards learning_rate * floor, which it
/// reaches one step after the last that FitOptions::epochs allows. Loshchilov, Hutter: SGDR,
/// ICLR 2017, without restarts. Early stopping ignores the schedule: give it enough patience.
struct CosineSchedule {
  std::size_t warm_up = 0;  ///< steps, as in WarmUpSchedule
  double floor = 0;         ///< in [0, 1]

  [[nodiscard]] double operator()(const StepPosition& at) const noexcept;
  /// @throws ArgumentError  for a floor outside [0, 1]
  void check() const {
    require(floor >= 0 && floor <= 1, "schedule.floor",
            "must be in [0, 1], not " + format_number(floor));
  }
  [[nodiscard]] std::string label() const {
    return "cosine, warm-up " + std::to_string(warm_up) + ", floor " + format_number(floor);
  }
};

/// Multiplies the learning rate by `factor` whenever validation has not improved for `patience`
/// epochs, up to `reductions` times, after epochs that are validated; FitOptions::patience counts
/// from the last reduction. Without a validation set the learning rate is constant.
struct PlateauSchedule {
  double factor = 0.1;        ///< above 0, below 1
  std::size_t patience = 10;  ///< epochs, at least 1
  /// Patience lasts at least this many steps, for data with few steps per epoch.
  std::size_t patience_steps = 250;
  std::size_t reductions = 2;  ///< at most
  /// Patience for the first reduction counts only epochs that begin after this many steps.
  std::size_t min_steps = 1000;

  [[nodiscard]] double operator()(const StepPosition& /*at*/, const History& history) const {
    double product = 1;
    for (std::size_t times = reduced(history).times; times > 0; --times) product *= factor;
    return product;
  }
  /// The epoch from which early stopping counts; none while reductions remain.
  [[nodiscard]] std::optional<std::size_t> patience_from(const History& history) const {
    const Reduced done = reduced(history);
    return done.times < reductions ? std::nullopt : std::optional(done.epoch);
  }
  /// @throws ArgumentError  for an option outside its domain
  void check() const {
    require(factor > 0 && factor < 1, "schedule.factor",
            "must be above 0 and below 1, not " + format_number(factor));
    require_at_least_one("schedule.patience", patience);
  }
  [[nodiscard]] std::string label() const {
    return "plateau, factor " + format_number(factor) + ", patience " + std::to_string(patience) +
           ", patience_steps " + std::to_string(patience_steps) + ", reductions " +
           std::to_string(reductions) + ", min_steps " + std::to_string(min_steps);
  }

 private:
  struct Reduced {
    std::size_t times = 0;
    std::size_t epoch = 0;  // after which the last reduction was
  };

  /// From the history alone, so that a resumed run continues like an uninterrupted one.
  [[nodiscard]] Reduced reduced(const History& history) const;
};

/// A schedule: one of the above, or any function of a StepPosition, or of a StepPosition and the
/// History so far, that returns a finite factor of at least 0. A resumed run is bit-identical if
/// the factor depends on these alone.
class Schedule {
 public:
  Schedule() : Schedule(ConstantSchedule{}) {}
  template <class Function>
    requires(!std::same_as<Function, Schedule> &&
             (std::is_invocable_r_v<double, const Function&, const StepPosition&> ||
              std::is_invocable_r_v<double, const Function&, const StepPosition&, const History&>))
  Schedule(Function function) : label_("a function"), has_label_(requires { function.label(); }) {
    if (is_empty(function)) return;
    if constexpr (requires { function.check(); }) check_ = [function] { function.check(); };
    if constexpr (requires { function.label(); }) label_ = function.label();
    if constexpr (requires(const History& history) { function.patience_from(history); }) {
      patience_from_ = [function](const History& history) {
        return function.patience_from(history);
      };
    }
    if constexpr (std::is_invocable_r_v<double, const Function&, const StepPosition&>) {
      factor_ = [function = std::move(function)](const StepPosition& at, const History&) {
        return function(at);
      };
    } else {
      factor_ = std::move(function);
    }
  }

  /// @throws ArgumentError  for a factor that is not finite, or below 0
  [[nodiscard]] double factor(const StepPosition& at, const History& history) const;
  /// The epoch from which early stopping may count; none while it may not.
  [[nodiscard]] std::optional<std::size_t> patience_from(const History& history) const {
    return patience_from_ ? patience_from_(history) : 0;
  }
  /// A description in words; functions without a label() cannot be told apart.
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] bool has_label() const noexcept { return has_label_; }
  /// @throws ArgumentError  for an option outside its domain, or an empty function
  void check() const {
    require(factor_ != nullptr, "schedule", "must be a function of StepPosition, not an empty one");
    if (check_) check_();
  }

 private:
  template <class Function>
  static bool is_empty(const Function&) noexcept {
    return false;
  }
  template <class Result, class... Arguments>
  static bool is_empty(const std::function<Result(Arguments...)>& function) noexcept {
    return !function;
  }
  template <class Result, class... Arguments>
  static bool is_empty(Result (*function)(Arguments...)) noexcept {
    return function == nullptr;
  }

  std::function<double(const StepPosition&, const History&)> factor_;
  std::function<std::optional<std::size_t>(const History&)> patience_from_;
  std::function<void()> check_;
  std::string label_;
  bool has_label_;
};

namespace detail {

[[nodiscard]] inline bool is_constant(const Schedule& schedule) {
  return schedule.label() == ConstantSchedule().label();
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/training/schedule.inl.hpp"
#endif
