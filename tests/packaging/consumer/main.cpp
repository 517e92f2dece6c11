// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <prism/prism.hpp>

int main() {
  using namespace prism;
  const Split split = random_split(synthetic_interactions({.users = 100, .items = 80}));
  Recommender<MF<16>, DirectAU, None, PRISM<1.0>> model(split.train);
  fit(model, split, {.batch_size = 512, .epochs = 2}, Silent());
  std::cout << model.name() << ": NDCG@20 " << evaluate(model, split.test).ndcg << '\n';
}
