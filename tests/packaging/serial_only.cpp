// SPDX-License-Identifier: BSD-3-Clause
// Trains and ranks on the serial execution alone: neither oneTBB nor xsimd is included or linked.
#include <prism/execution/serial.hpp>
#include <prism/models/policies.hpp>
#include <prism/penalty/penalized.hpp>
#include <prism/training/fit.hpp>
#include <vector>

#if defined(XSIMD_VERSION_MAJOR) || defined(TBB_VERSION_MAJOR)
#error "the serial execution includes xsimd or oneTBB"
#endif

using namespace prism;

namespace {

template <class Model>
bool trains(const Split& split) {
  Model model(serial, split.train);
  const History history =
      fit(serial, model, split, {.learning_rate = 0.01, .batch_size = 100, .epochs = 2}, Silent());
  return history.epochs.size() == 2 && evaluate(serial, model, split.test).users > 0;
}

}  // namespace

int main() {
  std::vector<Interaction> pairs;
  for (Index user = 0; user < 50; ++user) {
    for (Index k = 0; k < 8; ++k) pairs.push_back({user, (user * 7 + k * 3) % 40});
  }
  const Split split = random_split(Interactions(50, 40, pairs));
  const bool all = trains<Recommender<MF<17>, DirectAU, None, PRISM<1.0>>>(split) &&
                   trains<Recommender<LightGCN<17>, Penalized<SSM, IPL>, FullWD>>(split) &&
                   trains<Recommender<MLP<17>, MACR, BatchedWD, Xavier, DenseAdam>>(split) &&
                   trains<Recommender<MF<17>, MAWU, None, Xavier, SGD>>(split);
  return all ? 0 : 1;
}
