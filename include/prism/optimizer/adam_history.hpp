// SPDX-License-Identifier: BSD-3-Clause
// The steps that a row without a gradient has not taken yet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/kernel/adam.hpp"
#include "prism/kernel/row.hpp"

namespace prism::inline PRISM_ISA {

/// Adam's steps since all rows of a table stood at the same one, and what they do to a row that has
/// stood still since the first `from` of them.
template <class T>
class AdamHistory {
 public:
  /// Steps since the last clear().
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }

  void clear() noexcept {
    steps_.clear();
    coasts_.clear();
  }

  /// @param t  the step's number since training began, from 1
  void add(double learning_rate, double beta1, double beta2, std::uint64_t t) {
    if (that_matter_ == 0) start(beta1, beta2);
    steps_.emplace_back(learning_rate, beta1, beta2, t);
    if (power1_.size() <= steps_.size()) {
      power1_.push_back(power1_.back() * beta1);
      power2_.push_back(power2_.back() * beta2);
    }
    const double step = static_cast<double>(t);
    // The middle of a coast: beta1^j, its steps' weight, has its mean at j = 1 / (1 - beta1).
    const double ahead = 1 / (1 - beta1);
    coasts_.emplace_back(std::pow(beta2, ahead / 2) /
                         std::sqrt(1 - std::pow(beta2, step - 1 + ahead)));
    const double step_size = learning_rate / (1 - std::pow(beta1, step));
    const double correction = 1 / std::sqrt(1 - std::pow(beta2, step));
    const std::size_t standing = std::min(that_matter_, coasts_.size());
    for (std::size_t j = 1; j <= standing; ++j) {
      coasts_[coasts_.size() - j].add(step_size * power1_[j], correction * std::sqrt(power2_[j]));
    }
  }

  /// Whether there is a closed form for a row that has stood still, without decay, since the first
  /// `from` steps.
  [[nodiscard]] bool coasts(std::size_t from) const noexcept { return coasts_[from].exact(); }

  /// Takes a row that has stood still since the first `from` steps to the last one.
  /// @return whether the moments still lag behind by those steps
  template <class Isa = isa::native>
  bool catch_up(std::size_t from, T* w, T* m, T* v, T decay, const AdamConstants<T>& constant,
                std::size_t n) const noexcept {
    const std::span<const AdamStep<T>> steps = std::span(steps_).subspan(from);
    if (decay == 0 && coasts(from)) {
      adam_coast<Isa, T>(w, m, v, coasts_[from], constant, n);
      return true;
    }
    const std::size_t taken = decay == 0 ? std::min(that_matter_, steps.size()) : steps.size();
    adam_replay<Isa>(w, m, v, decay, constant, steps.first(taken), n);
    if (taken < steps.size()) shrink<Isa>(m, v, lag(steps.size() - taken), n);
    return false;
  }

  /// By how much moments shrink in so many steps without a gradient.
  [[nodiscard]] AdamLag<T> lag(std::size_t steps) const noexcept {
    return {static_cast<T>(power1_[steps]), static_cast<T>(power2_[steps])};
  }

  /// Makes up for a lag.
  template <class Isa = isa::native>
  static void shrink(T* m, T* v, AdamLag<T> lag, std::size_t n) noexcept {
    scale<Isa>(m, lag.first, m, n);
    scale<Isa>(v, lag.second, v, n);
  }

 private:
  void start(double beta1, double beta2) {
    // From step to step without a gradient, an update shrinks by this. The sum of all that come
    // after the last one that matters is below rounding.
    const double shrinks = beta1 / std::sqrt(beta2);
    constexpr double below_rounding = std::numeric_limits<T>::epsilon() / 1024;
    that_matter_ = std::numeric_limits<std::size_t>::max();
    if (shrinks < 1 && shrinks > 0) {
      that_matter_ = static_cast<std::size_t>(std::log(below_rounding) / std::log(shrinks)) + 1;
    }
  }

  std::vector<AdamStep<T>> steps_;
  std::vector<AdamCoast<T>> coasts_;  // [from]
  std::vector<double> power1_{1};     // beta1^j
  std::vector<double> power2_{1};
  std::size_t that_matter_ = 0;
};

}  // namespace prism::inline PRISM_ISA
