// SPDX-License-Identifier: BSD-3-Clause
// The library's models, compiled here once. With many models, give each its own file, so that they
// compile in parallel.
#include "models.hpp"

#include <prism/prism.hpp>

namespace model_library {

prism::Split read_split(const std::string& path) {
  return prism::random_split(path.empty()
                                 ? prism::synthetic_interactions({.users = 1000, .items = 800})
                                 : prism::read_interactions(path));
}

std::unique_ptr<prism::AnyRecommender> make_directau(const prism::Interactions& train) {
  using Model = prism::Recommender<prism::MF<64>, prism::DirectAU, prism::None, prism::PRISM<1.0>>;
  return prism::make_any_recommender<Model>(train);
}

std::unique_ptr<prism::AnyRecommender> make_lightgcn(const prism::Interactions& train) {
  using Model = prism::Recommender<prism::LightGCN<64, 3>, prism::BPR, prism::FullWD>;
  return prism::make_any_recommender<Model>(train, {.regularizer = {.lambda = 1e-6}});
}

}  // namespace model_library
