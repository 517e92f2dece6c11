// SPDX-License-Identifier: BSD-3-Clause
// The number of a validation report by which epochs are compared.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"
#include "prism/evaluate/report.hpp"

namespace prism::inline PRISM_ISA {

/// A number of a Report, where greater is better: `&Report::recall`, or any function of a Report,
/// such as `[](const Report& r) { return r.ndcg - 0.1 * r.gini; }`.
class Metric {
 public:
  Metric() : Metric(&Report::ndcg) {}
  Metric(double Report::* measure)
      : value_(measure), label_(label_of(measure)), has_label_(label_ != no_label) {}
  template <class Function>
    requires(!std::same_as<Function, Metric> &&
             std::is_invocable_r_v<double, const Function&, const Report&> &&
             !std::is_member_pointer_v<Function>)
  Metric(Function function) : value_(std::move(function)), label_(no_label) {}

  /// @throws ArgumentError  if it is not finite
  [[nodiscard]] double operator()(const Report& report) const {
    const double value = value_(report);
    require(detail::is_finite(value), "metric",
            "must be a finite number, not " + format_number(value));
    return value;
  }

  /// @throws ArgumentError  for an empty std::function
  void check() const {
    require(value_ != nullptr, "metric", "must be a member or a function of Report, not empty");
  }

  /// "NDCG"; "validation" for functions, which cannot be told apart.
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] bool has_label() const noexcept { return has_label_; }

 private:
  static constexpr const char* no_label = "validation";
  static std::string label_of(double Report::* measure) {
    if (measure == &Report::ndcg) return "NDCG";
    if (measure == &Report::recall) return "recall";
    if (measure == &Report::precision) return "precision";
    if (measure == &Report::mrr) return "MRR";
    if (measure == &Report::hit_rate) return "hit rate";
    if (measure == &Report::coverage) return "coverage";
    if (measure == &Report::average_popularity) return "average popularity";
    return measure == &Report::gini ? "Gini" : no_label;
  }

  std::function<double(const Report&)> value_;
  std::string label_;
  bool has_label_ = false;
};

}  // namespace prism::inline PRISM_ISA
