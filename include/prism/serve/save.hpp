// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's output rows in formats that other programs read.
#pragma once

#include <filesystem>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/data/interactions.hpp"
#include "prism/serve/escaped_line.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/staged_files.hpp"

namespace prism::inline PRISM_ISA {

/// Writes a model's output rows, with the magnitudes of its ranking, and the ids of users and items
/// into a directory, created if missing: users.npy, items.npy (rows x dim, NumPy's format), and
/// user_ids.txt, item_ids.txt (the id of row r in line r + 1, with \n, \r, \t and \\ for such
/// letters). Existing files of these names are kept until all four are on disk, and then replaced
/// one after the other: only save_model() replaces all at once.
/// @throws DataError      if a file cannot be written
/// @throws ArgumentError  for a model in a device's memory; as Recommender::scorer()
/// @param exec  where the output rows are computed; the host's threads if left out
template <Execution X, class Model>
void save_embeddings(const X& exec, const Model& model, const std::filesystem::path& directory) {
  model.check_on_host();
  detail::StagedFiles files(directory);
  const auto scorer = model.scorer(exec);
  files.write("users.npy", detail::npy(scorer.output.users()));
  files.write("items.npy", detail::npy(scorer.output.items()));
  const Interactions& train = model.train();
  files.write("user_ids.txt", detail::id_lines(*train.user_ids()));
  files.write("item_ids.txt", detail::id_lines(*train.item_ids()));
  files.publish();
}
template <class Model>
  requires(!Execution<Model>)
void save_embeddings(const Model& model, const std::filesystem::path& directory) {
  save_embeddings(par, model, directory);
}

}  // namespace prism::inline PRISM_ISA
