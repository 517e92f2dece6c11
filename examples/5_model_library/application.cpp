// SPDX-License-Identifier: BSD-3-Clause
// A program that trains a model from the library, evaluates it and recommends items. It includes no
// model, so it compiles in little more time than the standard headers that it uses.
//
//     model_application [directau|lightgcn] [FILE]
#include <iostream>
#include <string>

#include "models.hpp"

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "directau";
  if (argc > 3 || (name != "directau" && name != "lightgcn")) {
    std::cerr << "usage: model_application [directau|lightgcn] [FILE]\n";
    return 2;
  }
  const prism::Split split = model_library::read_split(argc > 2 ? argv[2] : "");
  const auto model = name == "directau" ? model_library::make_directau(split.train)
                                        : model_library::make_lightgcn(split.train);

  // Prints a line every tenth epoch; without this callback, fit shows its progress itself.
  const auto on_epoch = [](const prism::EpochRecord& epoch) {
    if (epoch.epoch % 10 == 0) {
      std::cout << "epoch " << epoch.epoch << ", NDCG@20 " << epoch.validation_ndcg << std::endl;
    }
    return prism::StopRequest::none;
  };
  std::cout << model->name() << "\n";
  model->fit(split, {.batch_size = 1024, .epochs = 100, .patience = 10}, on_epoch);

  const prism::Report report =
      model->evaluate(split.test, {.k = 20, .exclude = {&split.validation}});
  std::cout << "NDCG@20 " << report.ndcg << ", recall@20 " << report.recall << "\n\nuser "
            << split.train.user_id(0) << " may like:\n";
  for (const auto& [item, score] : model->recommend(0, 5)) {
    std::cout << "  item " << split.train.item_id(item) << "  (" << score << ")\n";
  }
} catch (const prism::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
