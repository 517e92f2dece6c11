// SPDX-License-Identifier: BSD-3-Clause
// Policies chosen at run time: models_by_name [BACKBONE [LOSS [OPTION=VALUE ...]]]. The library's
// models are compiled in prism::models; this program includes no policy.
#include <cstdlib>
#include <iostream>
#include <prism/data.hpp>
#include <prism/models/make_model.hpp>
#include <string>

int main(int argc, char** argv) try {
  prism::ModelSpec spec{.dim = 32};
  if (argc > 1) spec.backbone = argv[1];
  if (argc > 2) spec.loss = argv[2];
  for (int k = 3; k < argc; ++k) {
    const std::string option = argv[k];
    const std::size_t at = option.find('=');
    spec.options.push_back({option.substr(0, at), std::atof(option.c_str() + at + 1)});
  }
  const prism::Split split =
      prism::random_split(prism::synthetic_interactions({.users = 1000, .items = 800}));
  const auto model = prism::make_model(spec, split.train);
  for (const std::string& policy : model->policies()) std::cout << policy << "\n";
  model->fit(split, {.epochs = 20});
  const prism::Report report = model->evaluate(split.test, {.exclude = {&split.validation}});
  std::cout << model->name() << ": NDCG@20 " << report.ndcg << "\n";
} catch (const prism::Error& error) {
  std::cerr << error.what() << "\n\nThe policies, and their options with the defaults:\n";
  for (const prism::PolicyDescription& policy : prism::compiled_policies()) {
    std::cerr << "  " << policy.kind << " " << policy.name;
    for (const auto& option : policy.options)
      std::cerr << "  " << option.name << "=" << option.value;
    std::cerr << "\n";
  }
  return 2;
}
