// SPDX-License-Identifier: BSD-3-Clause
// In words, everything besides a run's state that its results depend on. A checkpoint has these
// settings, so that a run is not resumed as a different one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/fingerprint.hpp"
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
[[nodiscard]] inline std::vector<RunSetting> fit_settings(const FitOptions& options,
                                                          std::string learning_rate) {
  return {
      {"learning_rate", std::move(learning_rate)},
      {"batch_size", std::to_string(options.batch_size)},
      {"k", std::to_string(options.k)},
      {"shuffle", options.shuffle == Shuffle::once ? "once" : "every epoch"},
      {"schedule", options.schedule ? options.schedule->label() : "default"},
      {"metric", options.metric.label()},
  };
}

/// The settings of a run.
/// @param settings  the model's
/// @param options   of a session, which has a learning rate
[[nodiscard]] inline std::vector<RunSetting> run_settings(std::vector<RunSetting> settings,
                                                          const Split& split,
                                                          const FitOptions& options) {
  settings.push_back({"split.train", fingerprint(split.train)});
  settings.push_back({"split.validation", fingerprint(split.validation)});
  for (RunSetting& setting : fit_settings(options, format_number(*options.learning_rate))) {
    settings.push_back(std::move(setting));
  }
  settings.push_back({"validate_every", std::to_string(options.validate_every)});
  settings.push_back({"validate_by_cosine", options.validate_by_cosine ? "true" : "false"});
  return settings;
}

inline void write_settings(BinaryWriter& out, const std::vector<RunSetting>& settings) {
  out.number(static_cast<std::uint32_t>(settings.size()));
  for (const RunSetting& setting : settings) {
    out.text(setting.name);
    out.text(setting.value);
  }
}

/// The parts of `value` that differ from `other`, for lists such as "SSM, negatives 10, tau 0.2";
/// all of `value` if the lists have different lengths.
[[nodiscard]] inline std::string differing_parts(const std::string& value,
                                                 const std::string& other) {
  const auto parts_of = [](std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end = list.find(", ");
      parts.push_back(list.substr(0, end));
      if (end != std::string_view::npos) list.remove_prefix(end + 2);
    }
    return parts;
  };
  const auto own = parts_of(value), others = parts_of(other);
  if (own.size() != others.size()) return value;
  std::string differing;
  for (std::size_t k = 0; k < own.size(); ++k) {
    // A policy chosen at run time has its name twice.
    if (own[k] == others[k] || (k > 0 && own[k] == own[k - 1])) continue;
    differing.append(differing.empty() ? "" : ", ").append(own[k]);
  }
  return differing;
}

/// @throws ArgumentError  if the file has other settings; says how the first of them differs
inline void check_settings(BinaryReader& in, const std::string& file,
                           const std::vector<RunSetting>& settings) {
  if (in.number<std::uint32_t>() != settings.size())
    in.fail("has a different number of settings than expected");
  for (const RunSetting& setting : settings) {
    const std::string name = in.text(), value = in.text();
    if (name != setting.name)
      in.fail("has the setting " + name + " where " + setting.name + " is expected");
    require(value == setting.value, setting.name.c_str(),
            "must be " + differing_parts(value, setting.value) + ", as saved in " + file +
                ", not " + differing_parts(setting.value, value));
  }
}

}  // namespace prism::inline PRISM_ISA::detail
