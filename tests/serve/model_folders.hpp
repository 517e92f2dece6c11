// SPDX-License-Identifier: BSD-3-Clause
// Folders of saved models, made and damaged.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <prism/prism.hpp>
#include <span>
#include <string>
#include <vector>

namespace test {

namespace fs = std::filesystem;
using namespace prism;

inline Interactions small_data() {
  return synthetic_interactions({.users = 40, .items = 30, .interactions_per_user = 6});
}

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
inline void overwrite(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Tables and parameters, one after the other.
template <class Model>
std::vector<float> all_weights(Model model) {
  std::vector<float> weights;
  for (const std::span<float> part : detail::weight_spans(model.weights()).parts) {
    weights.insert(weights.end(), part.begin(), part.end());
  }
  return weights;
}

/// Replaces a line of a manifest, and its checksum so that nothing but the line is wrong.
inline void change_line(const fs::path& folder, const std::string& name, const std::string& value) {
  const fs::path path = folder / detail::manifest_name;
  const detail::Manifest before(path.string(), text_of(path));
  detail::Manifest after;
  for (const auto& [line, text] : before.lines()) after.add(line, line == name ? value : text);
  overwrite(path, after.to_text());
}

/// Replaces a file, and its line in the manifest.
inline void change_file(const fs::path& folder, const std::string& name,
                        const std::string& content) {
  overwrite(folder / name, content);
  detail::Checksum sum;
  sum.add(content);
  detail::Manifest entry;
  entry.add_file(name, {.size = content.size(), .checksum = sum.value()});
  change_line(folder, "file " + name, *entry.find("file " + name));
}

}  // namespace test
