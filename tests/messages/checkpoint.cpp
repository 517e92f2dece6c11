// SPDX-License-Identifier: BSD-3-Clause
// An optimizer whose State cannot be saved. A test compiles each case and searches the first error
// for its words.
#include "model.hpp"

struct Forgetful {
  static constexpr std::string_view name = "Forgetful";
  template <class T>
  struct State {
    State(std::size_t, std::size_t, std::pmr::memory_resource*) {}
  };
  template <class X, class T, class R>
  void operator()(const X&, const prism::ParameterView<T>&, const prism::TableGradient<T>&,
                  State<T>&, prism::StepInfo, const R&) const {}
};

using Model = prism::Recommender<prism::MF<8>, prism::BPR, prism::None, prism::Xavier, Forgetful>;

// case save: this optimizer cannot be saved: its State has no save() and load()
#ifdef CASE_save
void save(prism::TrainingSession<Model>& session) { session.save("run"); }
#endif

// case resume: this optimizer cannot be resumed: its State has no save() and load()
#ifdef CASE_resume
void resume(Model& model, const prism::Split& split) {
  prism::TrainingSession<Model>::resume("run", model, split).run();
}
#endif
