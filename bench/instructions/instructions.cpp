// SPDX-License-Identifier: BSD-3-Clause
// Kernels and steps whose instructions count.sh counts, on one thread: unlike times, the counts are
// the same on every machine, whatever else runs there. Prints the names in the order of the calls
// of counted_work().
#include <array>
#include <cstdio>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../workload.hpp"

using namespace prism;

/// The calls that callgrind counts.
extern "C" [[gnu::noinline]] void counted_work(const std::function<void()>& work) { work(); }

namespace {

/// The processor's instruction set, without oneTBB.
struct OneThread {
  using isa = isa::native;
};

}  // namespace

namespace prism::inline PRISM_ISA {

template <>
inline constexpr bool runs_on_host<OneThread> = true;
template <>
struct Backend<OneThread> : Backend<Serial> {};

}  // namespace prism::inline PRISM_ISA

namespace {

constexpr OneThread one_thread{};

/// The first call is not counted: it allocates what later ones reuse.
void count(const std::string& name, const std::function<void()>& work) {
  work();
  std::puts(name.c_str());
  counted_work(work);
}

const Interactions& interactions() {
  static const Interactions all = bench::interactions_of(1000, 1500, 30'000);
  return all;
}

void kernels(std::size_t dim) {
  constexpr std::size_t size = 256;
  const std::string of = ", d " + std::to_string(dim);
  const Matrix<float> from = bench::random_rows(size, dim),
                      unit = bench::random_unit_rows(512, dim);
  Matrix<float> w = from, m = from, v = from, to = zeros<float>(512, dim);
  for (float& x : v) x *= x;

  count("dot, 256 rows" + of, [&] {
    float sum = 0;
    for (std::size_t r = 0; r < size; ++r) sum += dot(rows(from)[0], rows(from)[r], dim);
    to(0, 0) = sum;
  });
  count("normalise, 256 rows" + of, [&] {
    for (std::size_t r = 0; r < size; ++r) normalise(rows(to)[r], rows(from)[r], dim);
  });
  count("weighted_sum, 256 rows" + of, [&] {
    std::array<Index, size> all;
    std::iota(all.begin(), all.end(), Index{0});
    detail::weighted_sum(
        to.data(), 1.0F, std::span<const Index>(all), [](std::size_t) { return 0.5F; }, rows(from));
  });
  count("adam_row, 256 rows" + of, [&] {
    const detail::AdamConstants<float> constant(0.9, 0.999, 1e-8);
    const detail::AdamStep<float> step(1e-3, 0.9, 0.999, 100);
    for (std::size_t r = 0; r < size; ++r) {
      detail::adam_row<isa::native, float>(rows(w)[r], rows(m)[r], rows(v)[r], rows(from)[r], 0,
                                           constant, step, dim);
    }
  });
  Scratch scratch;
  count("pair_potential, 512 rows" + of, [&] {
    scratch.reset();
    pair_potential(
        one_thread, rows(unit), 4.0, [](double total) { return 1 / total; }, rows(to), scratch);
  });
}

template <class Backbone, class Loss, class Regularizer = None, class Sampler = UniformNegatives,
          class Optimizer = Adam>
void step(const std::string& name, std::size_t batch, Loss loss = {}, int steps_before = 0) {
  using Model = Recommender<Backbone, Loss, Regularizer, Xavier, Optimizer, Sampler>;
  Model model(one_thread, interactions(), {.loss = loss});
  Trainer trainer(model, one_thread);
  bench::EpochBatches<Model> batches(model, batch);
  for (int k = 0; k < steps_before; ++k) bench::take_step(trainer, batches);
  count("step of " + name, [&] { bench::take_step(trainer, batches); });
}

void ranking(Similarity similarity, Pruning pruning, const std::string& name) {
  const Interactions& seen = interactions();
  const Matrix<float> users = bench::random_rows(seen.users(), 64),
                      items = bench::random_rows(seen.items(), 64, 2);
  const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
  std::vector<Index> some(256);
  std::iota(some.begin(), some.end(), Index{0});
  const Interactions* const exclude[] = {&seen};
  std::size_t found = 0;
  count(name, [&] {
    rank_items(
        one_thread, scorer, some, 20, exclude, similarity,
        [&](std::size_t, auto best) { found += best.size(); }, pruning);
  });
}

}  // namespace

int main() {
  for (const std::size_t dim : {64U, 100U}) kernels(dim);
  step<MF<64>, BPR>("MF + BPR, 2048 pairs", 2048);
  step<MF<64>, BPR, FullWD>("MF + BPR + FullWD, 2048 pairs", 2048);
  step<MF<64>, SSM>("MF + SSM, 1024 pairs, 10 negatives", 1024, {.negatives = 10});
  step<MF<64>, SSM, None, SharedNegatives<>>("MF + SSM, 512 pairs, 256 shared negatives", 512,
                                             {.negatives = 256});
  step<MF<64>, DirectAU>("MF + DirectAU, 512 pairs", 512);
  step<MF<64>, MAWU>("MF + MAWU, 512 pairs", 512);
  step<MF<64>, MACR>("MF + MACR, 1024 pairs", 1024);
  step<MLP<64>, BPR>("MLP + BPR, 512 pairs", 512);
  step<LightGCN<64, 3>, BPR>("LightGCN<64, 3> + BPR, 1024 pairs", 1024);
  // Small batches, so that many steps of a row are deferred.
  step<MF<64>, BPR, FullWD, UniformNegatives>("MF + BPR + FullWD, 64 pairs, after 100 steps", 64,
                                              {}, 100);
  step<MF<64>, BPR, None, UniformNegatives, PartialRowWiseAdam>(
      "MF + BPR + PartialRowWiseAdam, 2048 pairs", 2048);
  step<MF<64>, BPR, FullWD, UniformNegatives, PartialRowWiseAdam>(
      "MF + BPR + FullWD + PartialRowWiseAdam, 64 pairs, after 100 steps", 64, {}, 100);
  for (const auto& [pruning, name] :
       {std::pair(Pruning::never, "every score in float"), {Pruning::always, "pruned by bytes"}}) {
    const std::string of = std::string(", ") + name;
    ranking(Similarity::dot, pruning, "top 20 of 1500 items for 256 users" + of);
    ranking(Similarity::cosine, pruning, "the same by cosine" + of);
  }
}
