// SPDX-License-Identifier: BSD-3-Clause
// An application that passes interactions and a model to a unit compiled for its machine.
#include <prism/backbone/mf.hpp>
#include <prism/execution/host.hpp>
#include <prism/loss/bpr.hpp>
#include <prism/model/recommender.hpp>

using Model = prism::Recommender<prism::MF<8>, prism::BPR>;
void train(const prism::Interactions& data);
void train(Model& model);

int main() {
  const prism::Interactions data;
  train(data);
  Model model(data);
  train(model);
}
