// SPDX-License-Identifier: BSD-3-Clause
// Types that do not meet the requirements of an optimizer. A test compiles each case and searches
// the first error for its words.
#include "model.hpp"

using namespace prism;

struct Right {
  static constexpr std::string_view name = "Right";
  template <class T>
  struct State {
    State(std::size_t, std::size_t, std::pmr::memory_resource*) {}
  };
  template <Execution X, class T, class S, class R>
  void operator()(const X&, const ParameterView<T>&, const TableGradient<T>&, S&, StepInfo,
                  const R&) const {}
};
static_assert(check_optimizer<Right>());

struct Deferring : Right {
  static constexpr OptimizerTraits traits{.defers_rows = true};
  template <Execution X, class T, class S, class R>
  void apply_deferred(const X&, const ParameterView<T>&, std::span<const Index>, S&,
                      const R&) const {}
  template <Execution X, class T, class S, class R>
  void flush(const X&, const ParameterView<T>&, S&, const R&) const {}
};
static_assert(check_optimizer<Deferring>() && LazyOptimizer<Deferring>);

// case name: an optimizer must have a name: static constexpr std::string_view name
#ifdef CASE_name
struct Mine {};
#endif

// case traits: an optimizer's traits must be a constant: static constexpr OptimizerTraits
#ifdef CASE_traits
struct Mine : Right {
  static constexpr bool traits = true;
};
#endif

// case state: an optimizer must have a State for a table: template <class T> struct State
#ifdef CASE_state
struct Mine {
  static constexpr std::string_view name = "Mine";
};
#endif

// case state_of_size: an optimizer's State must be constructible from a table's size: State(
#ifdef CASE_state_of_size
struct Mine : Right {
  template <class T>
  struct State {
    State(std::size_t) {}
  };
};
#endif

// case finite: an optimizer's State's finite, if it has one, must be: template <Execution X> bool
#ifdef CASE_finite
struct Mine : Right {
  template <class T>
  struct State : Right::State<T> {
    using Right::State<T>::State;
    bool finite() { return true; }
  };
};
#endif

// case step: an optimizer must update a table: template <Execution X, class T, RegularizerPolicy R>
#ifdef CASE_step
struct Mine : Right {
  template <Execution X, class T, class S, class R>
  void operator()(const X&, const ParameterView<T>&, const TableGradient<T>&, S&, StepInfo,
                  const R&) {}
};
#endif

// case no_apply_deferred: an optimizer whose traits declare defers_rows must have: template
#ifdef CASE_no_apply_deferred
struct Mine : Right {
  static constexpr OptimizerTraits traits{.defers_rows = true};
};
#endif

// case flush_not_const: void flush(const X& exec, const ParameterView<T>& table, State<T>& state
#ifdef CASE_flush_not_const
struct Mine : Deferring {
  template <Execution X, class T, class S, class R>
  void flush(const X&, const ParameterView<T>&, S&, const R&) {}
};
#endif

// case deferring_unsaid: an optimizer with apply_deferred or flush must declare it in its traits
#ifdef CASE_deferring_unsaid
struct Mine : Deferring {
  static constexpr OptimizerTraits traits{};
};
#endif

// case execution: an optimizer's operator() must accept every execution, but does not accept this
#ifdef CASE_execution
struct Mine : Right {
  template <class T, class S, class R>
  void operator()(const Host<>&, const ParameterView<T>&, const TableGradient<T>&, S&, StepInfo,
                  const R&) const {}
};
static_assert(Recommender<MF<8>, BPR, None, Xavier, Mine>::check_execution<Serial>());
#endif

Recommender<MF<8>, BPR, None, Xavier, Mine>::Options options;
