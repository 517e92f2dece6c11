// SPDX-License-Identifier: BSD-3-Clause
// Functions that saved_ranking.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/ranking_magnitude.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/manifest.hpp"
#include "prism/serve/model_folder.hpp"
#include "prism/serve/saved_options.hpp"
#include "prism/serve/saved_ranking.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE Ranking ranking_to_save(Ranking ranking, const Interactions& train) {
  if (!ranking.magnitude) return ranking;
  require(!ranking.users, "ranking",
          "cannot be saved: its own function also scales users' rows; use alpha or power, or set "
          "users to false");
  for (const Index popularity : train.item_degree()) {
    ranking.magnitudes.push_back(ranking_magnitude(ranking, popularity));
  }
  ranking.magnitude = nullptr;
  return ranking;
}

PRISM_INLINE void write_ranking(ModelFolderWriter& folder, const Ranking& ranking) {
  if (!has_lines(ranking)) return;
  Manifest& manifest = folder.manifest();
  const auto add_number = [&](const char* name, const std::optional<double>& value) {
    if (value) manifest.add(name, format_number(*value));
  };
  const auto add_list = [&](const char* name, const std::vector<double>& values) {
    std::string text;
    for (const double value : values) {
      if (!text.empty()) text += ' ';
      text += format_number(value);
    }
    if (!values.empty()) manifest.add(name, text);
  };
  add_number("ranking.alpha", ranking.alpha);
  add_number("ranking.power", ranking.power);
  add_number("ranking.exponent", ranking.exponent);
  add_list("ranking.alphas", ranking.alphas);
  add_list("ranking.powers", ranking.powers);
  if (ranking.users) manifest.add("ranking.users", option_text(ranking.users));
  if (!ranking.magnitudes.empty()) {
    folder.table(item_magnitudes_file,
                 Rows<const double>(ranking.magnitudes.data(), ranking.magnitudes.size(), 1));
  }
}

PRISM_INLINE std::vector<double> numbers_in(const Manifest& manifest, const std::string& name) {
  std::vector<double> values;
  const std::string* const text = manifest.find(name);
  if (text == nullptr) return values;
  const char* from = text->data();
  const char* const end = from + text->size();
  for (;;) {
    double value = 0;
    const auto parsed = std::from_chars(from, end, value);
    const bool ends = parsed.ptr == end;
    if (parsed.ec != std::errc() || (!ends && *parsed.ptr != ' ')) {
      manifest.fail(0, "has " + name + ": " + *text + ", which is not numbers between spaces");
    }
    values.push_back(value);
    if (ends) return values;
    from = parsed.ptr + 1;
  }
}

PRISM_INLINE Ranking read_ranking(const ModelFolderReader& folder, std::size_t items) {
  const Manifest& manifest = folder.manifest();
  const auto number = [&](const char* name) -> std::optional<double> {
    if (manifest.find(name) == nullptr) return {};
    return manifest.number<double>(name);
  };
  Ranking ranking;
  ranking.alpha = number("ranking.alpha");
  ranking.power = number("ranking.power");
  ranking.exponent = number("ranking.exponent");
  ranking.alphas = numbers_in(manifest, "ranking.alphas");
  ranking.powers = numbers_in(manifest, "ranking.powers");
  if (manifest.find("ranking.users") != nullptr) {
    restore_option(manifest, "ranking.users", ranking.users);
  }
  if (manifest.find("file " + std::string(item_magnitudes_file)) != nullptr) {
    const Matrix<double> table = folder.table<double>(item_magnitudes_file);
    if (table.shape(0) != items || table.shape(1) != 1) {
      folder.fail(std::string("has an ") + item_magnitudes_file +
                  " whose shape is not (n, 1) for the n items");
    }
    ranking.magnitudes.assign(table.data(), table.data() + table.size());
  }
  try {
    ranking.check();
  } catch (const ArgumentError& error) {
    folder.fail(std::string("has a ranking outside its domain: ") + error.what());
  }
  return ranking;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
