// SPDX-License-Identifier: BSD-3-Clause
// The benchmarks of pytorch.py in prism: one epoch of MF with each loss, and one ranking of the
// test users. Writes the data for it, so that both use the same.
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "../workload.hpp"

using namespace prism;

namespace {

void write_pairs(const Interactions& part, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  for (std::size_t p = 0; p < part.size(); ++p) {
    const Index pair[] = {part[p].user, part[p].item};
    out.write(reinterpret_cast<const char*>(pair), sizeof pair);
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

template <class Loss, class Sampler = UniformNegatives>
double epoch_seconds(const Split& split, Loss loss = {}) {
  Recommender<MF<64>, Loss, None, Xavier, Adam, Sampler> model(split.train, {.loss = loss});
  const Split training{split.train, Interactions(), Interactions()};
  return fit(model, training, {.epochs = 1}, Silent()).epochs[0].train_seconds;
}

double ranking_seconds(const Split& split) {
  const Recommender<MF<64>, BPR> model(split.train);
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(evaluate(model, split.test, {.k = 20}));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Times epochs and a ranking, and prints them as JSON.");
  std::string data, folder;
  std::size_t threads = 1;
  app.add_option("--data", data, "interactions; synthetic ones of Gowalla's size if left out");
  app.add_option("--threads", threads)->check(CLI::Range(1, 1024));
  app.add_option("--write", folder, "writes train.bin and test.bin there, and times nothing");
  CLI11_PARSE(app, argc, argv);

  const ThreadLimit limit(threads);
  const Split split = random_split(data.empty() ? bench::gowalla_sized() : read_interactions(data));
  if (!folder.empty()) {
    write_pairs(split.train, std::filesystem::path(folder) / "train.bin");
    write_pairs(split.test, std::filesystem::path(folder) / "test.bin");
    return 0;
  }
  const SSM of_shared{.negatives = 1024, .tau = 0.1};
  const nlohmann::json times{
      {"library", "prism " PRISM_VERSION},
      {"seconds",
       {{"BPR", epoch_seconds<BPR>(split)},
        {"SSM", epoch_seconds<SSM>(split)},
        {"SSM, 1024 shared", epoch_seconds<SSM, SharedNegatives<>>(split, of_shared)},
        {"DirectAU", epoch_seconds<DirectAU>(split)},
        {"ranking", ranking_seconds(split)}}}};
  std::cout << times.dump() << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
