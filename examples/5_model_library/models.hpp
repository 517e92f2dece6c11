// SPDX-License-Identifier: BSD-3-Clause
// A library of models, as its users see it: functions, no policies.
#pragma once

#include <memory>
#include <prism/models/any_recommender.hpp>
#include <string>

namespace model_library {

/// Splits a file's interactions, or synthetic ones if the path is empty: 80% for training, 10% for
/// validation, 10% for test. Reading and splitting are compiled in the library too.
/// @throws prism::DataError  if the file cannot be read
prism::Split read_split(const std::string& path);

/// MF with DirectAU and PRISM's initialisation. The model has its own copy of the interactions.
/// @throws prism::ArgumentError  if train is empty
std::unique_ptr<prism::AnyRecommender> make_directau(const prism::Interactions& train);

/// LightGCN with BPR and full weight decay; otherwise as make_directau().
std::unique_ptr<prism::AnyRecommender> make_lightgcn(const prism::Interactions& train);

}  // namespace model_library
