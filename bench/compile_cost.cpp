// SPDX-License-Identifier: BSD-3-Clause
// What models cost a compiler: compile_cost [COMPILER...]. For the headers alone, for one model and
// for a further one, without and with prism::compiled, and for a program that uses models through
// AnyRecommender.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Cost {
  double seconds;    // of processor time
  double megabytes;  // peak of the largest process
};

/// Compiles a source text.
Cost compile(const std::string& compiler, const std::string& text, bool compiled) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("prism-compile-cost-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string source = (folder / "models.cpp").string();
  const std::string object = (folder / "models.o").string();
  std::ofstream(source) << text;
  const pid_t child = fork();
  if (child == 0) {
    execlp(compiler.c_str(), compiler.c_str(), "-std=c++20", "-O2", "-march=native",
           "-DPRISM_HAS_ZLIB=1", "-I" PRISM_INCLUDE,
           compiled ? "-DPRISM_COMPILED" : "-UPRISM_COMPILED", "-c", source.c_str(), "-o",
           object.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  std::filesystem::remove_all(folder);
  if (status != 0) {
    std::fprintf(stderr, "%s failed on:\n%s\n", compiler.c_str(), text.c_str());
    std::exit(1);
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
          static_cast<double>(usage.ru_maxrss) / 1024};
}

const std::string headers = "#include <prism/prism.hpp>\nusing namespace prism;\n";

/// A function that trains and evaluates a model.
std::string model(const std::string& policies) {
  return "Report train(const Split& split, Recommender<" + policies +
         ">& model) {\n"
         "  fit(model, split);\n"
         "  return evaluate(model, split.test);\n"
         "}\n";
}

const std::string client =
    "#include <prism/models/any_recommender.hpp>\n"
    "prism::Report train(const prism::Split& split, prism::AnyRecommender& model) {\n"
    "  model.fit(split);\n"
    "  return model.evaluate(split.test, {});\n"
    "}\n";

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  const std::vector<std::string> compilers =
      given.empty() ? std::vector<std::string>{PRISM_COMPILER} : given;
  const std::string one = headers + model("MF<64>, DirectAU");
  const std::string two = one + model("MF<64>, SSM");
  std::printf("seconds of processor time (MB)\n%-28s %-14s %14s %14s %14s %14s\n", "compiler", "",
              "headers", "first model", "a further one", "client");
  for (const std::string& compiler : compilers) {
    for (const bool compiled : {false, true}) {
      const Cost none = compile(compiler, headers, compiled);
      const Cost first = compile(compiler, one, compiled);
      const Cost both = compile(compiler, two, compiled);
      const Cost any = compile(compiler, client, compiled);
      std::printf("%-28s %-14s %6.1f (%5.0f) %6.1f (%5.0f) %6.1f         %6.1f (%5.0f)\n",
                  compiler.c_str(), compiled ? "compiled" : "header-only", none.seconds,
                  none.megabytes, first.seconds, first.megabytes, both.seconds - first.seconds,
                  any.seconds, any.megabytes);
      std::fflush(stdout);
    }
  }
}
