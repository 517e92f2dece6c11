// SPDX-License-Identifier: BSD-3-Clause
// Types that do not meet the requirements of a loss. A test compiles each case and searches the
// first error for its words.
#include "model.hpp"

using namespace prism;

struct Right {
  static constexpr std::string_view name = "Right";
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) const {
    return 0;
  }
};

// case name: a loss must have a name: static constexpr std::string_view name
#ifdef CASE_name
struct Mine {
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) const {
    return 0;
  }
};
#endif

// case name_of_object: a loss must have a name: static constexpr std::string_view name
#ifdef CASE_name_of_object
struct Mine : Right {
  std::string name = "Mine";
};
#endif

// case copy: a loss must be copyable, and assignable from another
#ifdef CASE_copy
struct Mine : Right {
  const double weight = 1;
};
#endif

// case label: a loss's label, if it has one, must be: std::string label() const
#ifdef CASE_label
struct Mine : Right {
  std::string label() { return "Mine"; }
};
#endif

// If this check were ignored, any option would be accepted.
// case check: a loss's check, if it has one, must be: void check() const
#ifdef CASE_check
struct Mine : Right {
  double tau = -1;
  void check() { require(tau > 0, "tau", "must be above 0"); }
};
#endif

// case check_that_answers: a loss's check, if it has one, must be: void check() const
#ifdef CASE_check_that_answers
struct Mine : Right {
  bool check() const { return false; }
};
#endif

// case check_template: a loss's check, if it has one, must be: void check() const
#ifdef CASE_check_template
struct Mine : Right {
  template <class T>
  void check(T) const {}
};
#endif

// case options: a loss's options, if it names them, must be: static constexpr auto options =
#ifdef CASE_options
struct Mine : Right {
  double tau = 0.1;
  static constexpr const char* options = "tau";
};
#endif

// case plain_state: a loss's State, if it has one, must be: template <class T> struct State
#ifdef CASE_plain_state
struct Mine : Right {
  struct State {};
};
#endif

// case state_of_nothing: a loss's State must be constructible from the policy and a StateContext
#ifdef CASE_state_of_nothing
struct Mine : Right {
  template <class T>
  struct State {
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
};
#endif

// case state_copy: a loss's State must be copyable
#ifdef CASE_state_copy
struct Mine : Right {
  template <class T>
  struct State {
    State(const Mine&, const StateContext&) {}
    State(const State&) = delete;
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
};
#endif

// case closed_state: a loss's State must visit each parameter as a ParameterView<T>
#ifdef CASE_closed_state
struct Mine : Right {
  template <class T>
  struct State {
    State(const Mine&, const StateContext&) {}
  };
};
#endif

// case negatives: a loss must declare in its traits its number of negatives per pair
#ifdef CASE_negatives
struct Mine : Right {
  std::size_t negatives = 1;
};
#endif

// case option_of_negatives: a loss with an option `negatives` must have a function for its traits
#ifdef CASE_option_of_negatives
struct Mine : Right {
  std::size_t negatives = 1;
  static constexpr LossTraits traits{.negatives = 1};
};
#endif

// case misspelt_traits: negativs
#ifdef CASE_misspelt_traits
struct Mine : Right {
  static constexpr LossTraits traits{.negativs = 1};
};
#endif

// case traits_of_backbone: a loss's traits must be a constant, static constexpr LossTraits
#ifdef CASE_traits_of_backbone
struct Mine : Right {
  static constexpr BackboneTraits traits{};
};
#endif

// case traits_of_object: a loss's traits must be a constant, static constexpr LossTraits
#ifdef CASE_traits_of_object
struct Mine : Right {
  LossTraits traits{.needs_all_rows = true};
};
#endif

// case traits_not_const: a loss's traits must be a constant, static constexpr LossTraits
#ifdef CASE_traits_not_const
struct Mine : Right {
  LossTraits traits() { return {}; }
};
#endif

// case step: a loss's operator() must take a const LossStep<T, X>&
#ifdef CASE_step
struct Mine {
  static constexpr std::string_view name = "Mine";
  double operator()(const Batch&) const { return 0; }
};
#endif

// A loss for double in a model of float.
// case double_alone: a loss's operator() must take a const LossStep<T, X>&
#ifdef CASE_double_alone
struct Mine {
  static constexpr std::string_view name = "Mine";
  double operator()(const LossStep<double>&) const { return 0; }
};
static_assert(LossPolicy<Mine>);
#endif

// case not_const: a loss's operator() must be const
#ifdef CASE_not_const
struct Mine {
  static constexpr std::string_view name = "Mine";
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&) {
    return 0;
  }
};
#endif

// case state_not_const: a loss's operator() must take a const LossStep<T, X>&
#ifdef CASE_state_not_const
struct Mine {
  static constexpr std::string_view name = "Mine";
  template <class T>
  struct State {
    State(const Mine&, const StateContext&) {}
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&, State<T>&) const {
    return 0;
  }
};
#endif

// case no_value: a loss's operator() must return its value, a double
#ifdef CASE_no_value
struct Mine {
  static constexpr std::string_view name = "Mine";
  template <class T, Execution X>
  void operator()(const LossStep<T, X>&) const {}
};
#endif

// case missing_rule: a loss whose traits declare has_ranking_rule must have a ranking_rule
#ifdef CASE_missing_rule
struct Mine : Right {
  static constexpr LossTraits traits{.has_ranking_rule = true};
  template <class T, Execution X>
  void rank_rule(const X&, Scorer<T>&, const Stateless<Mine>&) const {}
};
#endif

// case missing_rule_of_function: a loss whose traits declare has_ranking_rule must have a
#ifdef CASE_missing_rule_of_function
struct Mine : Right {
  std::size_t negatives = 1;
  constexpr LossTraits traits() const { return {.negatives = negatives, .has_ranking_rule = true}; }
};
#endif

// case other_rule: a loss's ranking_rule must be: template <class T, Execution X> void ranking_rule
#ifdef CASE_other_rule
struct Mine : Right {
  static constexpr LossTraits traits{.has_ranking_rule = true};
  template <class T>
  void ranking_rule(Scorer<T>&) const {}
};
#endif

// case rule_not_const: a loss's ranking_rule must be: template <class T, Execution X> void
#ifdef CASE_rule_not_const
struct Mine : Right {
  static constexpr LossTraits traits{.has_ranking_rule = true};
  template <class T, Execution X>
  void ranking_rule(const X&, Scorer<T>&, const Stateless<Mine>&) {}
};
#endif

// case rule_unsaid: a loss with a ranking_rule must declare it in its traits
#ifdef CASE_rule_unsaid
struct Mine : Right {
  template <class T, Execution X>
  void ranking_rule(const X&, Scorer<T>&, const Stateless<Mine>&) const {}
};
#endif

// case begin_epoch: a loss's begin_epoch must be: template <class T, Execution X> void begin_epoch
#ifdef CASE_begin_epoch
struct Mine {
  static constexpr std::string_view name = "Mine";
  template <class T>
  struct State {
    State(const Mine&, const StateContext&) {}
    template <class Visit>
    void for_each_parameter(const Visit&) {}
  };
  template <class T, Execution X>
  double operator()(const LossStep<T, X>&, const State<T>&) const {
    return 0;
  }
  template <class T>
  void begin_epoch(std::size_t, State<T>&) const {}
};
#endif

// case begin_epoch_without_state: a loss with a begin_epoch must have a State, which it changes
#ifdef CASE_begin_epoch_without_state
struct Mine : Right {
  template <class T, Execution X>
  void begin_epoch(const EpochStart<T, X>&, Stateless<Mine>&) const {}
};
#endif

// case execution: a loss's operator() must accept every execution
#ifdef CASE_execution
struct Mine {
  static constexpr std::string_view name = "Mine";
  template <class T>
  double operator()(const LossStep<T>&) const {
    return 0;
  }
};
const auto scorer(const Recommender<MF<8>, Mine>& model) { return model.scorer(serial); }
#endif

Recommender<MF<8>, Mine>::Options options;
