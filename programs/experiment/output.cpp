// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <filesystem>
#include <fstream>
#include <prism/core/error.hpp>
#include <prism/serve/load_model.hpp>
#include <prism/serve/staged_files.hpp>
#include <string>
#include <string_view>
#include <system_error>

#include "record.hpp"
#include "run.hpp"
#include "table.hpp"

namespace experiment {

/// report.html, in which {{RECORD}} stands for the record; made by CMake.
extern const char* const report_page;

namespace {

/// The settings that results depend on.
prism::Json of_results(const Settings& settings) {
  prism::Json json = to_json(settings);
  json.erase("threads");
  return json;
}

/// Settings and results, as --json has them.
/// @param before  array of the runs that were recorded earlier
prism::Json record_of(const Settings& settings, const prism::Split& split,
                      const std::vector<Run>& runs, const prism::Json& before) {
  return {{"prism", PRISM_VERSION},
          {"settings", to_json(settings)},
          {"data", to_json(split)},
          {"runs", merged(settings, *split.test.user_ids(), before, runs)}};
}

/// JSON as text; bytes that are not UTF-8, as in a file's name, are replaced.
/// @param indent  -1 for one line
std::string text_of(const prism::Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, prism::Json::error_handler_t::replace);
}

/// Writes a file, which is either complete or unchanged.
void write_file(const std::filesystem::path& file, const std::string& content) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  prism::detail::StagedFiles files(path.parent_path());
  files.write(path.filename(), content);
  files.publish();
}

/// The settings as they are read back from a file.
prism::Json as_written(const Settings& settings) {
  return prism::Json::parse(text_of(of_results(settings)));
}

/// @param place  such as "--save FOLDER"
/// @param what   such as "settings"
/// @throws prism::ArgumentError  that names the first value that differs
void require_same(const std::string& place, const char* what, const prism::Json& there,
                  const prism::Json& own) {
  for (const auto& [name, value] : own.items()) {
    const prism::Json before = there.is_object() && there.contains(name) ? there[name] : nullptr;
    prism::require(before == value, place.c_str(),
                   std::string("has results of other ") + what + ", " + name + " " +
                       text_of(before) + ", now " + text_of(value) +
                       "; give another name, or remove it");
  }
}

/// @return the runs of the existing record
prism::Json check_record(const Settings& settings, const prism::Json& data) {
  std::ifstream file(settings.json);
  if (settings.json.empty() || !file || file.peek() == std::ifstream::traits_type::eof()) {
    return prism::Json::array();
  }
  const prism::Json record = prism::Json::parse(file, nullptr, false);
  if (!record.is_object() || !record.contains("prism") || !record.contains("settings")) {
    throw prism::DataError(settings.json, 0,
                           "exists and is not a record of experiment; give --json another name");
  }
  require_same("--json " + settings.json, "settings", record["settings"], as_written(settings));
  require_same("--json " + settings.json, "data", record.value("data", prism::Json()), data);
  prism::Json runs = prism::Json::array();
  for (const prism::Json& run : record.value("runs", runs)) {
    if (run.is_object()) runs.push_back(run);
  }
  return runs;
}

void check_model(const Settings& settings, const ModelChoice& model, const prism::Json& data) {
  const std::filesystem::path folder = model_folder(settings, model);
  std::error_code none;
  if (!std::filesystem::exists(folder, none) || std::filesystem::is_empty(folder, none)) return;
  prism::check_model_folder(folder);
  prism::Json there_settings, there_data;
  for (const auto& [name, value] : prism::saved_model_description(folder)) {
    if (name == settings_note) there_settings = prism::Json::parse(value, nullptr, false);
    if (name == data_note) there_data = prism::Json::parse(value, nullptr, false);
  }
  require_same("--save " + folder.string(), "settings", there_settings, as_written(settings));
  require_same("--save " + folder.string(), "data", there_data, data);
}

}  // namespace

void describe(Settings& settings, const prism::Split& split) {
  settings.description = text_of(of_results(settings));
  settings.data_description = text_of(to_json(split));
}

prism::Json check_output(const Settings& settings, const prism::Split& split) {
  const prism::Json data = to_json(split);
  prism::Json runs = check_record(settings, data);
  for (const ModelChoice& model : settings.models()) {
    if (!settings.save.empty()) check_model(settings, model, data);
    if (settings.checkpoint.empty() || settings.resume) continue;
    const std::filesystem::path file = checkpoint_file(settings, model);
    std::error_code none;
    prism::require(
        !std::filesystem::exists(file, none), "--checkpoint",
        file.string() + " already exists: add --resume to continue from it, or remove it");
  }
  // All checks have passed.
  for (const std::string& folder : {settings.save, settings.checkpoint}) {
    if (!folder.empty()) const prism::detail::StagedFiles made(folder);
  }
  return runs;
}

std::string report_of(const prism::Json& record) {
  prism::Json shown = record;
  for (prism::Json& run : shown["runs"]) run.erase("test_users");
  std::string json = text_of(shown);
  // A name that has "</script>" or "<!--" would be taken for HTML.
  const std::string_view escaped = "\\u003c";
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += escaped.size()) {
    json.replace(at, 1, escaped);
  }
  std::string page = report_page;
  const std::string_view place = "{{RECORD}}";
  return page.replace(page.find(place), place.size(), json);
}

void write_output(const Settings& settings, const prism::Split& split, const std::vector<Run>& runs,
                  const prism::Json& before) {
  if (settings.json.empty() && settings.report.empty()) return;
  prism::Json record = record_of(settings, split, runs, before);
  if (!settings.json.empty()) write_file(settings.json, text_of(record, 1) + "\n");
  if (settings.report.empty()) return;
  record["most_popular"] = prism::to_json(baseline(split, settings.retrain));
  write_file(settings.report, report_of(record));
}

}  // namespace experiment
