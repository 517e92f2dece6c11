// SPDX-License-Identifier: BSD-3-Clause
// Answers queries from a saved model of any policies: items for users, items for users who came
// after training, items similar to items, users for items, users similar to users.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <prism/core/parallel.hpp>
#include <prism/experiment/json.hpp>
#include <prism/serve/load_model.hpp>

#include "program.hpp"
#include "recommend/answers.hpp"
#include "recommend/arguments.hpp"
#include "thread_limit.hpp"

namespace {

/// A saved model's settings, as experiment writes them; null if it has none.
prism::Json settings_of(const prism::SavedNotes& description) {
  for (const auto& [name, value] : description) {
    if (name == "note settings") return prism::Json::parse(value, nullptr, false);
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Recommends items to users with a saved model. Each line: user (or item that others are "
      "similar to, or that users are ranked for), rank, item (or user), score; in ids \\n, \\r, "
      "\\t and \\\\ stand for a line break, a carriage return, a tab and a backslash.",
      "recommend");
  recommend::Arguments arguments;
  recommend::declare(app, arguments);
  return programs::run_program(app, argc, argv, [&] {
    const programs::DefaultThreads limit(arguments.threads);
    const prism::SavedNotes description = prism::saved_model_description(arguments.model);
    bool in_double = false;
    for (const auto& [name, value] : description) {
      if (arguments.describe) std::printf("%s: %s\n", name.c_str(), value.c_str());
      in_double = in_double || (name == "numbers" && value == "double");
    }
    if (!arguments.asks()) return 0;
    const prism::Json settings = settings_of(description);
    const bool all_answered = in_double ? recommend::Answers<double>(arguments).print(settings)
                                        : recommend::Answers<float>(arguments).print(settings);
    return all_answered ? 0 : 1;
  });
}
