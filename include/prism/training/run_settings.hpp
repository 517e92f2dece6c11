// SPDX-License-Identifier: BSD-3-Clause
// In words, everything besides a run's state that its results depend on. A checkpoint has these
// settings, so that a run is not resumed as a different one.
#pragma once

#include <string>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/data/split_parts.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A name, as the user wrote it, and a value.
struct RunSetting {
  std::string name, value;
};

/// The settings of a model.
template <class Model>
[[nodiscard]] std::vector<RunSetting> model_settings(Model& model) {
  std::vector<RunSetting> settings;
  for_each_kind(model.options(), [&](const char* kind, const auto& policy) {
    settings.push_back({kind, prism::describe(policy)});
  });
  const Ranking& ranking = model.options().ranking;
  // Without the alpha or power that training chooses: it is part of the run's state.
  settings.push_back(
      {"ranking", ranking.chooses() ? ranking.with_choice({}).label() : ranking.label()});
  std::string shapes;
  model.weights().for_each_matrix([&](const auto& matrix) {
    shapes += (shapes.empty() ? "" : ", ") + std::to_string(matrix.size()) + " x " +
              std::to_string(matrix.dim());
  });
  settings.push_back({"the model's tables", shapes});
  settings.push_back(
      {"the model's numbers", sizeof(typename Model::scalar_type) == 4 ? "float" : "double"});
  settings.push_back({"seed", std::to_string(model.options().seed)});
  return settings;
}

/// The settings in FitOptions, except those that say when to stop and where files are.
/// @param learning_rate  in words, because options may leave it unset
[[nodiscard]] PRISM_INLINE std::vector<RunSetting> fit_settings(const FitOptions& options,
                                                                std::string learning_rate);

/// The settings of a run.
/// @param settings  the model's
/// @param options   of a session, which has a learning rate
[[nodiscard]] PRISM_INLINE std::vector<RunSetting> run_settings(std::vector<RunSetting> settings,
                                                                const Split& split,
                                                                const FitOptions& options);

PRISM_INLINE void write_settings(BinaryWriter& out, const std::vector<RunSetting>& settings);

/// The parts of `value` that differ from `other`, for lists such as "SSM, negatives 10, tau 0.2";
/// all of `value` if the lists have different lengths.
[[nodiscard]] PRISM_INLINE std::string differing_parts(const std::string& value,
                                                       const std::string& other);

/// @throws ArgumentError  if the file has other settings; says how the first of them differs
PRISM_INLINE void check_settings(BinaryReader& in, const std::string& file,
                                 const std::vector<RunSetting>& settings);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/training/run_settings.inl.hpp"
#endif
