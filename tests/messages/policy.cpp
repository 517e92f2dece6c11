// SPDX-License-Identifier: BSD-3-Clause
// Types that do not meet the requirements of a regularizer, an initializer, a sampler or an
// activation. A test compiles each case and searches the first error for its words.
#include <prism/sampler/all_in_batch.hpp>
#include <prism/sampler/shared.hpp>
#include <prism/sampler/unobserved.hpp>

#include "model.hpp"

using namespace prism;

struct Named {
  static constexpr std::string_view name = "Named";
};

// case regularizer_name: a regularizer must have a name: static constexpr std::string_view name
#ifdef CASE_regularizer_name
struct Mine {
  double weight_decay(bool) const { return 0; }
};
Recommender<MF<8>, BPR, Mine>::Options options;
#endif

// case regularizer: a regularizer must return the decay of a row: double weight_decay(bool
#ifdef CASE_regularizer
Recommender<MF<8>, BPR, Xavier>::Options options;
#endif

// case regularizer_not_const: a regularizer must return the decay of a row
#ifdef CASE_regularizer_not_const
struct Mine : Named {
  double weight_decay(bool) { return 0; }
};
Recommender<MF<8>, BPR, Mine>::Options options;
#endif

// case initializer_name: an initializer must have a name: static constexpr std::string_view name
#ifdef CASE_initializer_name
struct Mine : Xavier {
 private:
  using Xavier::name;
};
Recommender<MF<8>, BPR, None, Mine>::Options options;
#endif

// case initializer: an initializer must fill a table: template <class T, Execution X> void
#ifdef CASE_initializer
Recommender<MF<8>, BPR, None, Adam>::Options options;
#endif

// case initializer_execution: an initializer's operator() must accept every execution
#ifdef CASE_initializer_execution
struct Mine : Named {
  template <class T>
  void operator()(const Host<>&, Rows<T>, std::span<const Index>, const Random&) const {}
};
Recommender<MF<8>, BPR, None, Mine> model(serial, Interactions(1, 1, {}));
#endif

// case sampler_name: a sampler must have a name: static constexpr std::string_view name
#ifdef CASE_sampler_name
struct Nothing {};
Recommender<MF<8>, BPR, None, Xavier, Adam, Nothing>::Options options;
#endif

// case sampler: a sampler must draw negatives: template <Execution X> void operator()
#ifdef CASE_sampler
Recommender<MF<8>, BPR, None, Xavier, Adam, Named>::Options options;
#endif

// case sampler_state: a sampler's State, if it has one, must be: struct State
#ifdef CASE_sampler_state
struct Mine : UniformNegatives {
  template <class T>
  struct State {};
};
Recommender<MF<8>, BPR, None, Xavier, Adam, Mine>::Options options;
#endif

// case sampler_state_of_nothing: a sampler's State must be constructible from the sampler and the
#ifdef CASE_sampler_state_of_nothing
struct Mine : UniformNegatives {
  struct State {};
};
Recommender<MF<8>, BPR, None, Xavier, Adam, Mine>::Options options;
#endif

// case sampler_execution: a sampler's operator() must accept every execution
#ifdef CASE_sampler_execution
struct Mine : Named {
  void operator()(const Host<>&, const SampleRequest&, std::span<Index>) const {}
};
void draw(const SampleRequest& request, const sampler_state_t<Mine>& state) {
  draw_negatives(serial, Mine{}, request, state, {});
}
#endif

// case sampler_traits: a sampler's traits must be a constant: static constexpr SamplerTraits
#ifdef CASE_sampler_traits
struct Mine : UniformNegatives {
  SamplerTraits traits{};
};
Recommender<MF<8>, BPR, None, Xavier, Adam, Mine>::Options options;
#endif

// case sampler_shared: a sampler's shared, if it has one, must be: SharedNegativesInfo shared(const
#ifdef CASE_sampler_shared
struct Mine : UniformNegatives {
  bool shared = true;
};
Recommender<MF<8>, BPR, None, Xavier, Adam, Mine>::Options options;
#endif

// case sampler_log_probability: a sampler's log_probability, if it has one, must be: void
#ifdef CASE_sampler_log_probability
struct Mine : UniformNegatives {
  double log_probability(Index) const { return 0; }
};
Recommender<MF<8>, BPR, None, Xavier, Adam, Mine>::Options options;
#endif

// case shared_of_pairs: SharedNegatives: argument 1 (Base) must draw negatives that do not depend
#ifdef CASE_shared_of_pairs
SharedNegatives<UnobservedNegatives> sampler;
#endif

// case shared_of_shared: SharedNegatives: argument 1 (Base) must draw negatives that do not depend
#ifdef CASE_shared_of_shared
SharedNegatives<AllInBatchNegatives> sampler;
#endif

// case activation_name: an activation must have a name: static constexpr std::string_view name
#ifdef CASE_activation_name
struct Nothing {};
MLP<8, 2, Nothing> backbone;
#endif

// case activation: an activation must have a value, for float and double
#ifdef CASE_activation
struct Mine : ReLU {
  double apply(double x) const { return x; }
};
MLP<8, 2, Mine> backbone;
#endif

// case activation_derivative: an activation must have a derivative, for float and double
#ifdef CASE_activation_derivative
struct Mine : ReLU {
  template <class T>
  T derivative(T x) {
    return x;
  }
};
MLP<8, 2, Mine> backbone;
#endif
