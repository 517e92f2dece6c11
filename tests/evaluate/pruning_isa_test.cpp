// SPDX-License-Identifier: BSD-3-Clause
// Ranking with quantised pruning equals ranking without it, bit for bit, with every instruction
// set. Needs no oneTBB, so that it runs on an emulated processor, too.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <prism/core/random.hpp>
#include <prism/evaluate/ranking.hpp>
#include <prism/kernel/byte_accumulator.hpp>
#include <prism/kernel/normal.hpp>
#include <prism/kernel/pack_xsimd.hpp>
#include <span>
#include <utility>
#include <vector>

#include "support/one_thread.hpp"

using namespace prism;

namespace {

/// Rows of normal numbers, or of a kind that is difficult for sums of few bits.
Matrix<float> rows_of_kind(std::size_t size, std::size_t dim, std::size_t kind,
                           std::uint64_t seed) {
  Matrix<float> table = zeros<float>(size, dim);
  const Random random(seed, Stream::synthetic);
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t k = 0; k < dim; ++k) {
      const auto drawn = static_cast<float>(standard_normal(random, r * dim + k));
      float& number = table(r, k);
      if (kind == 0) number = drawn;
      if (kind == 1) number = drawn > 0 ? 1.0F : -1.0F;               // all columns at the limit
      if (kind == 2) number = 1 + 1e-3F * drawn;                      // and nearly equal
      if (kind == 3) number = drawn * (k == r % dim ? 50.0F : 1.0F);  // one column alone
      if (kind == 4) number = drawn * (1 + 20 / std::sqrt(1 + static_cast<float>(r)));
    }
  }
  return table;
}

template <class Isa>
auto isa_ranking(const Scorer<float>& scorer, std::size_t k, Pruning pruning) {
  const std::size_t users = scorer.output.users().size();
  std::vector<Index> all(users);
  for (Index u = 0; u < users; ++u) all[u] = u;
  std::vector<std::vector<std::pair<Index, std::uint32_t>>> lists(users);
  rank_items(
      test::OneThread<Isa>{}, scorer, all, k, {}, Similarity::dot,
      [&](std::size_t position, std::span<const ScoredItem<float>> best) {
        for (const auto& [item, score] : best) {
          lists[position].emplace_back(item, std::bit_cast<std::uint32_t>(score));
        }
      },
      pruning);
  return lists;
}

}  // namespace

TEST_CASE_TEMPLATE("rows without columns rank by id, with every instruction set", Isa, isa::scalar,
                   isa::avx2, isa::avx_vnni, isa::avx512, isa::avx512_vnni, isa::amx, isa::neon,
                   isa::neon_dotprod, isa::native) {
  if constexpr (isa_supported<Isa>) {
    const Matrix<float> users = zeros<float>(3, 0), items = zeros<float>(200, 0);
    const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
    const auto lists = isa_ranking<Isa>(scorer, 20, Pruning::always);
    CHECK(lists == isa_ranking<Isa>(scorer, 20, Pruning::never));
    for (Index place = 0; place < 20; ++place) CHECK(lists[0][place].first == place);
  }
}

TEST_CASE_TEMPLATE("rows of as many columns as bounds take rank the same", Isa, isa::avx2,
                   isa::avx_vnni, isa::avx512, isa::avx512_vnni, isa::amx, isa::neon,
                   isa::neon_dotprod, isa::native) {
  if constexpr (isa_supported<Isa>) {
    for (const std::size_t kind : {std::size_t{1}, std::size_t{2}}) {
      CAPTURE(kind);
      const Matrix<float> users = rows_of_kind(3, 1 << 15, kind, 1);
      const Matrix<float> items = rows_of_kind(130, 1 << 15, kind, 2);
      const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
      CHECK(isa_ranking<Isa>(scorer, 5, Pruning::always) ==
            isa_ranking<Isa>(scorer, 5, Pruning::never));
    }
  }
}

TEST_CASE_TEMPLATE("ranking with pruning is the same with every instruction set", Isa, isa::scalar,
                   isa::avx2, isa::avx_vnni, isa::avx512, isa::avx512_vnni, isa::amx, isa::neon,
                   isa::neon_dotprod, isa::reproducible, isa::native) {
  if constexpr (isa_supported<Isa>) {
    for (const std::size_t dim :
         {std::size_t{1}, std::size_t{7}, std::size_t{32}, std::size_t{63}, std::size_t{64},
          std::size_t{65}, std::size_t{129}, std::size_t{257}}) {
      for (std::size_t kind = 0; kind < 5; ++kind) {
        CAPTURE(dim);
        CAPTURE(kind);
        const Matrix<float> users = rows_of_kind(19, dim, kind, 1);
        const Matrix<float> items = rows_of_kind(2000, dim, kind, 2);
        const Scorer<float> scorer{Embeddings<const float>{rows(users), rows(items)}};
        for (const std::size_t k : {std::size_t{1}, std::size_t{20}}) {
          CHECK(isa_ranking<Isa>(scorer, k, Pruning::always) ==
                isa_ranking<Isa>(scorer, k, Pruning::never));
        }
      }
    }
  }
}
