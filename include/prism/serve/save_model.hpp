// SPDX-License-Identifier: BSD-3-Clause
// Saves a model, so that another process can continue with it or serve from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/fingerprint.hpp"
#include "prism/data/interactions.hpp"
#include "prism/ops/with_ranking.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/model_folder.hpp"
#include "prism/serve/saved_options.hpp"
#include "prism/serve/saved_ranking.hpp"

namespace prism::inline PRISM_ISA {

/// Notes on a saved model, as (name, value): "learning_rate", "0.001".
using SavedNotes = std::vector<std::pair<std::string, std::string>>;

namespace detail {

/// The training interactions: train.npy (rows of user and item), times.npy and both lists of ids.
inline void write_interactions(ModelFolderWriter& folder, const Interactions& train) {
  Matrix<std::uint32_t> pairs = make_table<std::uint32_t>(train.size(), 2);
  for (std::size_t k = 0; k < train.size(); ++k) {
    pairs(k, 0) = train[k].user;
    pairs(k, 1) = train[k].item;
  }
  folder.table("train.npy", rows(std::as_const(pairs)));
  if (!train.times().empty()) {
    folder.table("times.npy", Rows<const double>(train.times().data(), train.times().size(), 1));
  }
  folder.ids("user_ids.txt", *train.user_ids());
  folder.ids("item_ids.txt", *train.item_ids());
}

/// The output rows and the loss's ranking rule.
template <class T>
void write_scorer(ModelFolderWriter& folder, const Scorer<T>& scorer) {
  folder.table("users.npy", scorer.output.users());
  folder.table("items.npy", scorer.output.items());
  const auto factors = [&](const char* name, const std::vector<T>& factor) {
    if (!factor.empty()) folder.table(name, Rows<const T>(factor.data(), factor.size(), 1));
  };
  factors("user_factors.npy", scorer.user_factor);
  factors("item_factors.npy", scorer.item_factor);
  folder.manifest().add("offset", format_number(static_cast<double>(scorer.offset)));
}

/// A parameter's file: the backbone's first is "backbone_1.npy".
[[nodiscard]] inline std::string parameter_file(const char* kind, std::size_t k) {
  return std::string(kind) + "_" + std::to_string(k) + ".npy";
}

template <class State>
void write_parameters(ModelFolderWriter& folder, const char* kind, const State& state) {
  State copy = state;  // its views are mutable
  std::size_t k = 0;
  copy.for_each_parameter([&](const auto& parameter) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(parameter.rows.data())>>;
    folder.table(parameter_file(kind, ++k), Rows<const T>(parameter.rows));
  });
}

}  // namespace detail

/// Reports before training the errors about the folder that save_model() would report after it.
/// @throws DataError  if the folder has other files in it than a saved model's, or cannot be read,
///     or is a file
inline void check_model_folder(const std::filesystem::path& path) {
  detail::require_own_files(path);
}

/// Writes a model into a folder, atomically: it appears complete or not at all. It replaces a saved
/// model of that name, and a process that reads the folder meanwhile gets one or the other. Files:
///   manifest.txt                  library, policies and options, size and checksum of each file
///   users.npy, items.npy          output rows as ranked, rows x dim, in NumPy's format
///   user_factors.npy, item_factors.npy    of a ranking rule such as MACR's
///   user_table.npy, item_table.npy        embeddings, if they are not the output rows
///   trained_users.npy, trained_items.npy  output rows as trained, if they are neither of these
///   item_magnitudes.npy           of a ranking by a function, or by a table of magnitudes
///   backbone_1.npy ..., loss_1.npy ...    parameters of backbone and loss
///   train.npy, times.npy          training interactions: rows of user and item, and their times
///   user_ids.txt, item_ids.txt    the id of row r in line r + 1, with \n, \r, \t and \\ for such
///   letters
/// The optimizer's state is not part of a saved model; checkpoints have it. A ranking that is not
/// as trained has lines such as "ranking.power: 0.25"; a function of popularity is saved as the
/// items' magnitudes.
/// @param exec   where output rows are computed; the host's threads if left out
/// @param notes  further lines of the manifest, as "note NAME: VALUE"
/// @throws DataError      if a file cannot be written, or the folder has other files in it
/// @throws ArgumentError  for a note whose name has a colon or a line break, or is already taken,
///     for a model in device memory, for a ranking whose function also scales users' rows
template <Execution X, class Model>
void save_model(const X& exec, const Model& model, const std::filesystem::path& path,
                const SavedNotes& notes = {}) {
  using Scalar = typename Model::scalar_type;
  model.check_on_host();
  detail::ModelFolderWriter folder(path);
  detail::Manifest& manifest = folder.manifest();
  manifest.add("library", PRISM_VERSION);
  auto options = model.options();
  options.ranking = detail::ranking_to_save(model.ranking(), model.train());
  manifest.add("model", name_of(options));
  manifest.add("numbers", sizeof(Scalar) == sizeof(float) ? "float" : "double");
  manifest.add("seed", std::to_string(model.options().seed));
  manifest.add("train", fingerprint(model.train()));
  detail::for_each_kind(model.options(), [&](const char* kind, const auto& policy) {
    detail::add_options(manifest, kind, policy);
  });
  detail::write_ranking(folder, options.ranking);
  for (const auto& [name, value] : notes) manifest.add("note " + name, value);

  const Scorer<Scalar> trained = model.scorer(exec, Ranking{});
  const Scorer<Scalar> scorer =
      detail::ranked_scorer(exec, trained, model.ranking(), model.train());
  detail::write_scorer(folder, scorer);
  const auto& weights = model.weights();
  if (scorer.output.users().data() != weights.users.data() ||
      scorer.output.items().data() != weights.items.data()) {
    folder.table("user_table.npy", rows(weights.users));
    folder.table("item_table.npy", rows(weights.items));
  }
  // What other rankings start from; with MF these are the embeddings.
  const auto write_trained = [&](const char* name, Rows<const Scalar> as_trained,
                                 Rows<const Scalar> ranked, const Matrix<Scalar>& embeddings) {
    if (as_trained.data() == ranked.data() || as_trained.data() == embeddings.data()) return;
    folder.table(name, as_trained);
  };
  write_trained("trained_users.npy", trained.output.users(), scorer.output.users(), weights.users);
  write_trained("trained_items.npy", trained.output.items(), scorer.output.items(), weights.items);
  detail::write_parameters(folder, "backbone", weights.backbone);
  detail::write_parameters(folder, "loss", weights.loss);
  detail::write_interactions(folder, model.train());
  folder.publish();
}
template <class Model>
  requires(!Execution<Model>)
void save_model(const Model& model, const std::filesystem::path& path,
                const SavedNotes& notes = {}) {
  save_model(par, model, path, notes);
}

}  // namespace prism::inline PRISM_ISA
