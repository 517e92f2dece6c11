// SPDX-License-Identifier: BSD-3-Clause
// Types that do not meet the requirements of a backbone. A test compiles each case and searches the
// first error for its words.
#include "model.hpp"

using namespace prism;

struct Right {
  static constexpr std::string_view name = "Right";
  std::size_t dim() const { return 8; }
  template <class T, Execution X, class State>
  ForwardResult<T> forward(const BackboneStep<T, X>&, const State&) const;
  template <class T, Execution X, class State>
  TableGradients<T> backward(const BackboneStep<T, X>&, const State&, NothingSaved,
                             Embeddings<const T>) const;
  template <class T, Execution X, class State>
  Output<T> output(const X&, Embeddings<const T>, const Interactions&, const State&) const;
};
static_assert(check_backbone<Right>());

// case name: a backbone must have a name: static constexpr std::string_view name
#ifdef CASE_name
struct Mine {};
#endif

// case check: a backbone's check, if it has one, must be: void check() const
#ifdef CASE_check
struct Mine : Right {
  void check() {}
};
#endif

// case traits: a backbone's traits must be a constant: static constexpr BackboneTraits
#ifdef CASE_traits
struct Mine : Right {
  static constexpr LossTraits traits{};
};
#endif

// case dim: a backbone must return the number of columns of its tables: std::size_t dim() const
#ifdef CASE_dim
struct Mine : Right {
  std::size_t dim() { return 8; }
};
#endif

// case output_dim: a backbone's output_dim, if it has one, must be: std::size_t output_dim()
#ifdef CASE_output_dim
struct Mine : Right {
  std::size_t output_dim() { return 8; }
};
#endif

// case state: a backbone's State must be constructible from the policy and a StateContext
#ifdef CASE_state
struct Mine : Right {
  template <class T>
  struct State : Stateless<Mine> {
    State(const StateContext&) {}
  };
};
#endif

// case forward: a backbone must have a forward: template <class T, Execution X> ForwardResult<T,
// Saved>
#ifdef CASE_forward
struct Mine : Right {
  template <class T, Execution X, class State>
  ForwardResult<T> forward(const BackboneStep<T, X>&, State&);
};
#endif

// case forward_of_rows: a backbone's forward must return a ForwardResult<T, Saved>, or a
// ForwardResult<T>
#ifdef CASE_forward_of_rows
struct Mine : Right {
  template <class T, Execution X, class State>
  BatchRows<T> forward(const BackboneStep<T, X>&, const State&) const;
};
#endif

// case backward: a backbone must have a backward: template <class T, Execution X> TableGradients<T>
#ifdef CASE_backward
struct Mine : Right {
  template <class T, Execution X, class State>
  TableGradients<T> backward(const BackboneStep<T, X>&, const State&, Embeddings<const T>) const;
};
#endif

// case output: a backbone must have an output: template <class T, Execution X> Output<T> output
#ifdef CASE_output
struct Mine : Right {
  template <class T, class State>
  Output<T> output(Embeddings<const T>, const Interactions&, const State&) const;
};
#endif

// case execution: a backbone's forward, backward and output must accept every execution
#ifdef CASE_execution
struct Mine : Right {
  template <class T, class State>
  ForwardResult<T> forward(const BackboneStep<T>&, const State&) const;
};
const auto output(const Recommender<Mine, BPR>& model) { return model.output(serial); }
#endif

Recommender<Mine, BPR>::Options options;
