// SPDX-License-Identifier: BSD-3-Clause
// Functions that run_settings.hpp declares; it includes them unless PRISM_COMPILED is defined.
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
#include "prism/policy/ranking.hpp"
#include "prism/training/fit_options.hpp"
#include "prism/training/run_settings.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::vector<RunSetting> fit_settings(const FitOptions& options,
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

PRISM_INLINE std::vector<RunSetting> run_settings(std::vector<RunSetting> settings,
                                                  const Split& split, const FitOptions& options) {
  settings.push_back({"split.train", fingerprint(split.train)});
  settings.push_back({"split.validation", fingerprint(split.validation)});
  for (RunSetting& setting : fit_settings(options, format_number(*options.learning_rate))) {
    settings.push_back(std::move(setting));
  }
  settings.push_back({"validate_every", std::to_string(options.validate_every)});
  settings.push_back({"validate_by_cosine", options.validate_by_cosine ? "true" : "false"});
  return settings;
}

PRISM_INLINE void write_settings(BinaryWriter& out, const std::vector<RunSetting>& settings) {
  out.number(static_cast<std::uint32_t>(settings.size()));
  for (const RunSetting& setting : settings) {
    out.text(setting.name);
    out.text(setting.value);
  }
}

PRISM_INLINE std::string differing_parts(const std::string& value, const std::string& other) {
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

PRISM_INLINE void check_settings(BinaryReader& in, const std::string& file,
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

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
