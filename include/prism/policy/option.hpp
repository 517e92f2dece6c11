// SPDX-License-Identifier: BSD-3-Clause
// The options of a policy, stated once: a table of its members with their names and domains, from
// which checks, labels of runs, saved models, checkpoints and searches follow.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/finite.hpp"

namespace prism::inline PRISM_ISA {

/// The values that an option may have: the finite numbers of an interval.
struct Domain {
  std::string_view text;  ///< completes "must be ...": "from 0 to 1"
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  bool excludes_low = false;
  bool excludes_high = false;
  std::string_view reason{};  ///< why not above `high`, if that is not plain; completes the error
  std::string_view enumerators{};  ///< of an enumeration, in order from 0: "tanh, atan, relu"

  [[nodiscard]] constexpr bool contains(double value) const noexcept {
    return detail::is_finite(value) && (excludes_low ? value > low : value >= low) &&
           (excludes_high ? value < high : value <= high);
  }
};

/// Domains that several policies use.
namespace domain {

inline constexpr Domain any_number{"a finite number"};
inline constexpr Domain non_negative{"a finite number of at least 0", 0};
inline constexpr Domain positive{.text = "a finite number above 0", .low = 0, .excludes_low = true};
inline constexpr Domain at_least_one{"at least 1", 1};
inline constexpr Domain temperature{"from 1e-6 to 1e6", 1e-6, 1e6};
inline constexpr Domain boolean{"0 or 1", 0, 1};
inline constexpr Domain zero_to_one{"from 0 to 1", 0, 1};

/// The enumerators of a type whose first is 0. Does not compile for another number of names.
/// @param names  all of them in order, each followed by ", " except the last
template <class Enum>
  requires std::is_enum_v<Enum>
[[nodiscard]] consteval Domain enumerators(std::string_view names, Enum last) {
  const auto count = std::count(names.begin(), names.end(), ',');
  if (count != static_cast<std::ptrdiff_t>(last)) throw "a name for each enumerator";
  return {.text = "one of its type's enumerators",
          .low = 0,
          .high = static_cast<double>(last),
          .enumerators = names};
}

}  // namespace domain

/// @throws ArgumentError  unless the domain has the value
inline void require_within(const Domain& domain, const char* argument, double value) {
  if (domain.contains(value)) return;
  std::string problem = "must be " + std::string(domain.text) + ", not " + format_number(value);
  if (!domain.reason.empty() && value > domain.high) problem.append("; ").append(domain.reason);
  throw ArgumentError(argument, problem);
}

/// An option of a policy.
/// @tparam Member  the pointer to the member that holds it
template <auto Member>
struct Option {
  const char* name;
  Domain domain;
};

namespace detail {

/// The type of a member, from the pointer to it.
template <class Policy, class Value>
Value member_type(Value Policy::*);

/// Whether a member is an option: a number, a bool or an enumeration.
template <class Value>
inline constexpr bool is_option_value = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;
/// The row of a member without data is no option, as that of PRISM's alpha if it is a constant.
template <class Value>
inline constexpr bool is_row_value = is_option_value<Value> || std::is_empty_v<Value>;

}  // namespace detail

/// One row of option_table(): option<&SSM::tau>("tau", domain::temperature).
/// @tparam Member  a member that is a number, a bool or an enumeration
template <auto Member>
[[nodiscard]] constexpr Option<Member> option(const char* name, const Domain& domain) noexcept {
  return {name, domain};
}
/// The row of an option that is a bool.
template <auto Member>
  requires std::is_same_v<decltype(detail::member_type(Member)), bool>
[[nodiscard]] constexpr Option<Member> option(const char* name) noexcept {
  return {name, domain::boolean};
}

/// The options of a policy, stated behind its members in the order in which they are checked:
///   double margin = 1;
///   static constexpr auto options =
///       option_table(option<&Hinge::margin>("margin", domain::positive));
template <auto... Members>
[[nodiscard]] constexpr std::tuple<Option<Members>...> option_table(
    const Option<Members>&... rows) noexcept {
  static_assert((detail::is_row_value<decltype(detail::member_type(Members))> && ...),
                "an option must be a number, a bool or an enumeration");
  return {rows...};
}

namespace detail {

template <class P>
inline constexpr bool is_option_table = false;
template <auto... Members>
inline constexpr bool is_option_table<const std::tuple<Option<Members>...>> = true;

template <class P>
concept HasOptionTable =
    requires { requires is_option_table<decltype(std::remove_cv_t<P>::options)>; };

/// The rows of P's table in the alphabetical order of their names, which keeps the descriptions of
/// runs when an option is added.
template <class P>
inline constexpr auto alphabetical_rows = std::apply(
    [](const auto&... rows) {
      const std::array<std::string_view, sizeof...(rows)> names{rows.name...};
      std::array<std::size_t, sizeof...(rows)> order{};
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
      return order;
    },
    P::options);

/// Whether no two rows of P's table have the same name.
template <class P>
inline constexpr bool different_names = std::apply(
    [](const auto&... rows) {
      std::array<std::string_view, sizeof...(rows)> names{rows.name...};
      std::sort(names.begin(), names.end());
      return std::adjacent_find(names.begin(), names.end()) == names.end();
    },
    P::options);

}  // namespace detail

/// Calls visit(name, option) for each option in a policy's table, in alphabetical order. A policy
/// without a table has no options; the options of its parts are their own.
template <class Policy, class Visit>
void for_each_option(Policy& policy, const Visit& visit) {
  using P = std::remove_const_t<Policy>;
  if constexpr (detail::HasOptionTable<P>) {
    static_assert(detail::different_names<P>, "the options of a policy must have different names");
    constexpr const auto& order = detail::alphabetical_rows<P>;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      const auto visit_row = [&]<auto Member>(const Option<Member>& row) {
        if constexpr (detail::is_option_value<std::remove_cvref_t<decltype(policy.*Member)>>) {
          visit(std::string_view(row.name), policy.*Member);
        }
      };
      (visit_row(std::get<order[K]>(P::options)), ...);
    }(std::make_index_sequence<order.size()>());
  }
}

namespace detail {

/// @throws ArgumentError  for the first option in a policy's table that is outside its domain
template <class Policy>
void check_option_table(const Policy& policy) {
  if constexpr (HasOptionTable<Policy>) {
    const auto check_row = [&]<auto Member>(const Option<Member>& row) {
      using Value = std::remove_cvref_t<decltype(policy.*Member)>;
      if constexpr (is_option_value<Value>) {
        require_within(row.domain, row.name, static_cast<double>(policy.*Member));
      }
    };
    std::apply([&](const auto&... rows) { (check_row(rows), ...); }, Policy::options);
  }
}

}  // namespace detail

}  // namespace prism::inline PRISM_ISA
