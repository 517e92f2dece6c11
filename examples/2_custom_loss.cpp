// SPDX-License-Identifier: BSD-3-Clause
// A user-defined loss: a formula of scores and a table of options. The library differentiates it,
// runs it on every execution, tunes, saves and resumes it by the names of its options.
#include <cstdio>
#include <prism/prism.hpp>
#include <prism/tuning.hpp>
#include <string_view>

using namespace prism;

/// Mean over pairs (u, i), and over the negatives j of each, of max(0, margin - s(u,i) + s(u,j)).
struct Hinge {
  static constexpr std::string_view name = "Hinge";
  static constexpr Similarity similarity = Similarity::dot;
  double margin = 1;
  static constexpr auto options = option_table(option<&Hinge::margin>("margin", domain::positive));

  template <class T>
  constexpr T pairwise(T difference) const {  // s(u,j) - s(u,i)
    return max(T{0}, margin + difference);
  }
};

int main() {
  const Split split = random_split(synthetic_interactions({.users = 1000, .items = 800}),
                                   {.validation = 0.1, .test = 0.1, .seed = 123});
  using Models = Grid<Types<MF<32>>, Types<Hinge>, Types<None>, Types<Xavier>>;
  const auto space = SearchSpace().grid("margin", {0.5, 1, 2});
  TrialRecords records;
  for (const Tuned& best : tune(candidates<Models>(split, space, {.epochs = 20}), records)) {
    std::printf("%s, %s: NDCG@20 %.4f\n", best.model.c_str(), label(best.configuration).c_str(),
                best.test(&Report::ndcg).mean);
  }
}
