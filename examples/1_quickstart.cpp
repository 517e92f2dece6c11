// SPDX-License-Identifier: BSD-3-Clause
// Trains a model, evaluates it and recommends items to a user: quickstart [FILE [USER]]
#include <iostream>
#include <prism/prism.hpp>
#include <string_view>

int main(int argc, char** argv) try {
  using namespace prism;

  // Interactions from a file, or synthetic ones.
  const Interactions data = argc > 1 ? read_interactions(argv[1]) : synthetic_interactions();
  const Split split = random_split(data, {.validation = 0.1, .test = 0.1, .seed = 123});

  // The policies of a model are types. No weight decay is needed: items are ranked with magnitudes
  // from their popularity, to a power that the validation set chooses.
  Recommender<MF<64>, SSM> model(split.train, {.seed = 123, .ranking = power_by_validation()});
  fit(model, split);

  const Report report = evaluate(model, split.test, {.k = 20, .exclude = {&split.validation}});
  const std::string_view user = argc > 2 ? argv[2] : data.user_id(0);
  std::cout << model.name() << "\nNDCG@20 " << report.ndcg << ", recall@20 " << report.recall
            << "\n\nuser " << user << " may like:\n";
  for (const auto& [item, score] : recommend(model, user, 5)) {
    std::cout << "  item " << data.item_id(item) << "  (" << score << ")\n";
  }
} catch (const prism::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
