// SPDX-License-Identifier: BSD-3-Clause
// Training goes on from an earlier model where interactions, users and items have been added since.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/serve/known_rows.hpp"
#include "prism/serve/load_model.hpp"
#include "prism/serve/model_folder.hpp"
#include "prism/serve/save_model.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// For each id its row among `earlier`; `absent` for a new one.
[[nodiscard]] inline std::vector<Index> earlier_rows(const Ids& ids, const Ids& earlier) {
  std::vector<Index> rows(ids.size());
  for (Index row = 0; row < rows.size(); ++row) rows[row] = earlier.find(ids[row]);
  return rows;
}

[[nodiscard]] inline Index known(const std::vector<Index>& earlier) {
  return static_cast<Index>(earlier.size()) -
         static_cast<Index>(std::ranges::count(earlier, absent));
}

/// The tables and parameters of a model.
template <class Model, class T = typename Model::scalar_type>
[[nodiscard]] std::vector<ParameterView<T>> all_weights(Model& model) {
  auto& weights = model.weights();
  std::vector<ParameterView<T>> all{{rows(weights.users), ParameterRows::users},
                                    {rows(weights.items), ParameterRows::items}};
  const auto add = [&](const ParameterView<T>& parameter) { all.push_back(parameter); };
  weights.backbone.for_each_parameter(add);
  weights.loss.for_each_parameter(add);
  return all;
}

/// Copies the rows of earlier weights. Values that are not trained follow from the new data.
/// @throws ArgumentError  if a table or parameter has another size; nothing is copied then
template <class T>
KnownRows copy_earlier(const std::vector<ParameterView<T>>& weights, const Interactions& train,
                       const std::vector<Rows<const T>>& earlier, const Interactions& earlier_train,
                       const std::string& earlier_name) {
  const std::vector<Index> users = earlier_rows(*train.user_ids(), *earlier_train.user_ids());
  const std::vector<Index> items = earlier_rows(*train.item_ids(), *earlier_train.item_ids());
  const KnownRows found{known(users), known(items)};
  require(found.users > 0 || found.items > 0, "model",
          "must be trained on some of the users or items of " + earlier_name +
              ": none of their ids are the same");
  require(weights.size() == earlier.size(), "model",
          "must have the backbone and loss of " + earlier_name + ", whose parameters are others");
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto [own, reached] = std::pair(weights[k].rows, weights[k].reached);
    const std::size_t size = reached == ParameterRows::users   ? earlier_train.users()
                             : reached == ParameterRows::items ? earlier_train.items()
                                                               : own.size();
    require(own.dim() == earlier[k].dim() && size == earlier[k].size(), "model",
            "must have tables and parameters of the sizes of " + earlier_name + ": one has " +
                std::to_string(own.dim()) + " columns here and " +
                std::to_string(earlier[k].dim()) + " there");
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto& [to, reached, lowest, highest, popularity, trained] = weights[k];
    if (!trained) continue;
    if (reached == ParameterRows::all) {
      std::copy_n(earlier[k].data(), earlier[k].num_elements(), to.data());
      continue;
    }
    const std::vector<Index>& row_of = reached == ParameterRows::users ? users : items;
    for (Index row = 0; row < to.size(); ++row) {
      if (row_of[row] == absent) continue;
      std::copy_n(earlier[k][row_of[row]], to.dim(), to[row]);
    }
  }
  return found;
}

/// Copies the rows of a saved model's weights.
template <class T>
KnownRows copy_saved(const std::vector<ParameterView<T>>& weights, const Interactions& train,
                     const std::filesystem::path& saved) {
  return read_model_folder(saved, [&](const ModelFolderReader& folder) {
    folder.check_files();
    check_numbers<T>(folder, "model");
    const Interactions earlier_train = read_interactions_of(folder);
    const auto has = [&](const std::string& name) {
      return folder.manifest().find("file " + name) != nullptr;
    };
    const bool own_tables = has("user_table.npy");
    std::vector<std::string> names = {own_tables ? "user_table.npy" : "users.npy",
                                      own_tables ? "item_table.npy" : "items.npy"};
    for (const char* const kind : {"backbone", "loss"}) {
      for (std::size_t k = 1; has(parameter_file(kind, k)); ++k) {
        names.push_back(parameter_file(kind, k));
      }
    }
    std::vector<Matrix<T>> tables;
    std::vector<Rows<const T>> earlier;
    for (const std::string& name : names) tables.push_back(folder.table<T>(name));
    for (const Matrix<T>& table : tables) earlier.push_back(rows(table));
    return copy_earlier(weights, train, earlier, earlier_train,
                        folder.manifest().text("model") + " in " + saved.string());
  });
}

}  // namespace detail

/// Gives a model that is about to be trained what an earlier one has learnt: the rows of users and
/// items with the same ids, and the parameters of backbone and loss. Rows of new users and items
/// keep their initial values. The optimizer begins anew.
///
///   Model model(everything);                        // earlier interactions and later ones
///   warm_start(model, earlier);
///   fit(model, split, {.epochs = 10});
///
/// @throws ArgumentError  if no user or item is the same, or a table or parameter has another size;
///     nothing is copied then
template <class Model>
KnownRows warm_start(Model& model, const Model& earlier) {
  model.check_on_host();
  earlier.check_on_host();
  using T = typename Model::scalar_type;
  std::vector<Rows<const T>> rows;
  // all_weights visits mutable values, which are only read here.
  for (const auto& weights : detail::all_weights(const_cast<Model&>(earlier))) {
    rows.push_back(weights.rows);
  }
  const KnownRows found = detail::copy_earlier(detail::all_weights(model), model.train(), rows,
                                               earlier.train(), "the earlier model");
  model.set_trained();
  return found;
}

/// The same from a folder of save_model(). Its regularizer, initializer, optimizer and sampler may
/// be others than the model's.
/// @throws DataError  if there is no saved model, or it is damaged
template <class Model>
KnownRows warm_start(Model& model, const std::filesystem::path& saved) {
  model.check_on_host();
  const KnownRows found = detail::copy_saved(detail::all_weights(model), model.train(), saved);
  model.set_trained();
  return found;
}

}  // namespace prism::inline PRISM_ISA
