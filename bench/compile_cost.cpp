// SPDX-License-Identifier: BSD-3-Clause
// Compile time and memory of models: seconds and megabytes of the compiler for grids of growing
// size. The difference between two grids is due to the models; the rest is the headers.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Cost {
  double seconds;    // of processor time
  double megabytes;  // peak of the largest process
};

/// Compiles a source text with the compiler of this program.
Cost compile(const std::string& text) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("prism-compile-cost-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string source = (folder / "grid.cpp").string(), object = (folder / "grid.o").string();
  std::ofstream(source) << text;
  const pid_t child = fork();
  if (child == 0) {
    execl(PRISM_COMPILER, PRISM_COMPILER, "-std=c++20", "-O3", "-march=native", "-I" PRISM_INCLUDE,
          "-c", source.c_str(), "-o", object.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  std::filesystem::remove_all(folder);
  if (status != 0) {
    std::fprintf(stderr, "%s failed on:\n%s\n", PRISM_COMPILER, text.c_str());
    std::exit(1);
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

std::string grid(const std::string& backbones, const std::string& losses,
                 const std::string& initializers) {
  return "#include <prism/prism.hpp>\nusing namespace prism;\nusing ModelGrid = Grid<Types<" +
         backbones + ">, Types<" + losses + ">, Types<None>, Types<" + initializers +
         ">>;\n"
         "void train(const Split& split) {\n"
         "  for_each_model<ModelGrid>([&]<class Model>() {\n"
         "    Model model(split.train);\n"
         "    fit(model, split);\n"
         "    static_cast<void>(evaluate(model, split.test));\n"
         "  });\n"
         "}\n";
}

}  // namespace

int main() {
  struct Row {
    const char* what;
    std::size_t models;
    std::string text;
  };
  const std::vector<Row> rows{
      {"headers alone", 0, "#include <prism/prism.hpp>\n"},
      {"MF + BPR", 1, grid("MF<64>", "BPR", "Xavier")},
      {"MF + DirectAU", 1, grid("MF<64>", "DirectAU", "Xavier")},
      {"LightGCN + MAWU", 1, grid("LightGCN<64>", "MAWU", "Xavier")},
      {"{MF, MLP} x {BPR, SSM}", 4, grid("MF<64>, MLP<64>", "BPR, SSM", "Xavier")},
      {"{MF, MLP} x {BPR, SSM} x {Xavier, PRISM}", 8,
       grid("MF<64>, MLP<64>", "BPR, SSM", "Xavier, PRISM<1.0>")},
  };
  std::printf("%-42s %6s %8s %14s %6s\n", "grid", "models", "seconds", "a model beyond", "MB");
  double headers = 0;
  for (const Row& row : rows) {
    const Cost cost = compile(row.text);
    if (row.models == 0) headers = cost.seconds;
    std::printf("%-42s %6zu %8.1f ", row.what, row.models, cost.seconds);
    if (row.models > 0) {
      std::printf("%14.1f ", (cost.seconds - headers) / static_cast<double>(row.models));
    } else {
      std::printf("%14s ", "");
    }
    std::printf("%6.0f\n", cost.megabytes);
    std::fflush(stdout);
  }
}
