// SPDX-License-Identifier: BSD-3-Clause
#include "saved_model.hpp"

#include <cstdlib>
#include <filesystem>
#include <prism/core/error.hpp>
#include <prism/experiment/json.hpp>
#include <prism/serve/load_model.hpp>
#include <string_view>
#include <system_error>

namespace experiment {

namespace {

/// A note's name: that of its line in the manifest, without the prefix "note ".
std::string name_in(const char* line) { return line + std::string_view("note ").size(); }

}  // namespace

prism::SavedNotes saved_notes(const Settings& settings, const Run& run) {
  const prism::History& last = run.retrained() ? *run.retraining : run.history;
  return {{name_in(settings_note), settings.description},
          {name_in(data_note), settings.data_description},
          {"stop_reason", prism::name_of(last.stop_reason)},
          {name_in(interrupted_note), run.complete() ? "false" : "true"},
          {name_in(validation_note), prism::format_number(run.history.best_validation_ndcg)}};
}

std::optional<std::string> why_not_saved(const Settings& settings, const Run& run) {
  if (run.complete()) return std::nullopt;
  const std::string ended = run.ended_by();
  if (run.history.epochs.empty()) return ended + " before its first epoch was complete";
  if (run.history.best_epoch == 0) {
    return ended + " before an epoch ranked better than the initial weights";
  }
  const std::filesystem::path folder = model_folder(settings, run.choice);
  std::error_code none;
  if (!std::filesystem::exists(folder, none) || std::filesystem::is_empty(folder, none)) {
    return std::nullopt;
  }
  bool complete = true;
  double validation = 0;
  for (const auto& [name, value] : prism::saved_model_description(folder)) {
    if (name == interrupted_note) complete = value != "true";
    if (name == validation_note) validation = std::strtod(value.c_str(), nullptr);
  }
  const std::string stays = "the one in " + folder.string() + " is kept, as " + ended;
  if (complete) return stays;
  if (run.history.best_validation_ndcg > validation) return std::nullopt;
  return stays + " before it ranked the validation set better";
}

}  // namespace experiment
