// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's output rows in formats that other programs read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/index.hpp"
#include "prism/data/interactions.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/staged_files.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// One id per line.
template <class IdOf>
[[nodiscard]] std::string id_lines(const char* kind, Index count, const IdOf& id_of) {
  std::string lines;
  for (Index row = 0; row < count; ++row) {
    const std::string_view id = id_of(row);
    if (id.find_first_of("\r\n") != std::string_view::npos) {
      throw ArgumentError(
          kind, "row " + std::to_string(row) +
                    " has an id with a line break, which a file of one id per line cannot hold");
    }
    lines.append(id).push_back('\n');
  }
  return lines;
}

}  // namespace detail

/// Writes a model's output rows and the ids of users and items into a directory, created if
/// missing: users.npy, items.npy (rows x dim, NumPy's format), and user_ids.txt, item_ids.txt (the
/// id of row r in line r + 1). Existing files of these names are replaced once all four are
/// written.
/// @throws DataError      if a file cannot be written
/// @throws ArgumentError  if an id contains a line break
/// @param exec  where the output rows are computed; the host's threads if left out
template <Execution X, class Model>
void save_embeddings(const X& exec, const Model& model, const std::filesystem::path& directory) {
  StagedFiles files(directory);
  const auto output = model.output(exec);
  files.write("users.npy", detail::npy(output.users()));
  files.write("items.npy", detail::npy(output.items()));
  const Interactions& train = model.train();
  files.write("user_ids.txt", detail::id_lines("user_ids", train.users(),
                                               [&](Index user) { return train.user_id(user); }));
  files.write("item_ids.txt", detail::id_lines("item_ids", train.items(),
                                               [&](Index item) { return train.item_id(item); }));
  files.publish();
}
template <class Model>
requires(!Execution<Model>) void save_embeddings(const Model& model,
                                                 const std::filesystem::path& directory) {
  save_embeddings(par, model, directory);
}

}  // namespace prism::inline PRISM_ISA
