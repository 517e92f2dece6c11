// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's ranking as lines of a manifest, and restores it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/manifest.hpp"
#include "prism/serve/model_folder.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr const char* item_magnitudes_file = "item_magnitudes.npy";

/// Whether a folder has lines for a ranking.
[[nodiscard]] inline bool has_lines(const Ranking& ranking) { return !ranking.is_default(); }

/// The ranking that is saved for this one: numbers in place of a function.
/// @throws ArgumentError  for a function that also scales users' rows
[[nodiscard]] PRISM_INLINE Ranking ranking_to_save(Ranking ranking, const Interactions& train);

/// Writes "ranking.power: 0.25" and so on, and a table of magnitudes.
/// @param ranking  from ranking_to_save(); one as trained writes nothing
PRISM_INLINE void write_ranking(ModelFolderWriter& folder, const Ranking& ranking);

/// The numbers of a line, between which there are single spaces.
[[nodiscard]] PRISM_INLINE std::vector<double> numbers_in(const Manifest& manifest,
                                                          const std::string& name);

/// The ranking of a saved model, as trained if its folder has no lines for one.
/// @param items  the number of items
/// @throws DataError  for a line or a table that is damaged, or outside its domain
[[nodiscard]] PRISM_INLINE Ranking read_ranking(const ModelFolderReader& folder, std::size_t items);

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/serve/saved_ranking.inl.hpp"
#endif
