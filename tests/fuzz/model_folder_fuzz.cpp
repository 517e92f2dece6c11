// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes loading a model: the first byte chooses one file of a saved model, the other bytes replace
// its content, and the manifest has the matching size and checksum. Either the model that is loaded
// is complete, or an error of the library says what is wrong.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <prism/prism.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using namespace prism;
namespace fs = std::filesystem;
using Model = Recommender<MLP<dynamic>, MACR, FullWD, PRISM<dynamic>>;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
void overwrite(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A saved model, and the original contents of its files.
struct Saved {
  fs::path folder = fs::temp_directory_path() / ("prism_fuzz_" + std::to_string(::getpid()));
  std::vector<std::string> names;
  std::vector<std::string> contents;

  Saved() {
    const Interactions train(2, 3, std::vector<Interaction>{{0, 0}, {0, 1}, {1, 2}},
                             std::vector<double>{1, 2, 3});
    save_model(Model(train, {.backbone = MLP<dynamic>(2)}), folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) contents.push_back(text_of(folder / name));
  }
  ~Saved() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

/// The manifest with the size and checksum of a file's new content.
std::string manifest_with(const std::string& manifest, const std::string& name,
                          std::string_view content) {
  const detail::Manifest before("manifest.txt", manifest);
  detail::Manifest after;
  detail::Checksum sum;
  sum.add(content);
  for (const auto& [line, text] : before.lines()) {
    if (line == "file " + name) {
      after.add_file(name, {.size = content.size(), .checksum = sum.value()});
    } else {
      after.add(line, text);
    }
  }
  return after.to_text();
}

/// A manifest's lines with the checksum that belongs to them.
std::string with_checksum(std::string_view lines) {
  std::string text(lines);
  if (!text.ends_with('\n')) text += '\n';
  detail::Checksum sum;
  sum.add(text);
  char digits[17] = {};
  std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(sum.value()));
  return text + "checksum: " + digits + "\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Saved saved;
  if (size == 0) return 0;
  const std::size_t k = data[0] % saved.names.size();
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string& name = saved.names[k];
  const fs::path manifest = saved.folder / detail::manifest_name;
  if (name == detail::manifest_name) {
    overwrite(manifest, with_checksum(content));
  } else {
    overwrite(saved.folder / name, content);
    const auto own = std::find(saved.names.begin(), saved.names.end(), detail::manifest_name);
    overwrite(manifest,
              manifest_with(saved.contents[static_cast<std::size_t>(own - saved.names.begin())],
                            name, content));
  }
  try {
    const Model model = load_model<Model>(saved.folder);
    static_cast<void>(recommend(model, 0, 2));
  } catch (const Error&) {
  }
  try {
    const SavedScorer<> scorer = load_scorer(saved.folder);
    static_cast<void>(recommend(scorer.scorer, scorer.train, 0, 2));
  } catch (const Error&) {
  }
  for (const std::string& each : {name, std::string(detail::manifest_name)}) {
    const auto own = std::find(saved.names.begin(), saved.names.end(), each);
    overwrite(saved.folder / each,
              saved.contents[static_cast<std::size_t>(own - saved.names.begin())]);
  }
  return 0;
}
