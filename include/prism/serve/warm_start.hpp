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
#include "prism/policy/label.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/serve/known_rows.hpp"
#include "prism/serve/load_model.hpp"
#include "prism/serve/manifest.hpp"
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

[[nodiscard]] inline Index count_known(const std::vector<Index>& earlier) {
  return static_cast<Index>(earlier.size()) -
         static_cast<Index>(std::ranges::count(earlier, absent));
}

/// Tables and parameters with what they belong to. @tparam View  of a matrix, with `rows`
template <class View>
struct WarmStartSide {
  std::vector<View> weights;
  const Interactions& train;
  std::string backbone, loss;  ///< labels
};

template <class Model, class T = typename Model::scalar_type>
[[nodiscard]] WarmStartSide<ParameterView<T>> warm_start_side(Model& model) {
  auto& weights = model.weights();
  const auto& options = model.options();
  WarmStartSide<ParameterView<T>> side{
      {{rows(weights.users), ParameterRows::users}, {rows(weights.items), ParameterRows::items}},
      model.train(),
      prism::label(options.backbone),
      prism::label(options.loss)};
  const auto add = [&](const ParameterView<T>& parameter) { side.weights.push_back(parameter); };
  weights.backbone.for_each_parameter(add);
  weights.loss.for_each_parameter(add);
  return side;
}

/// Copies the rows of earlier weights. Values that are not trained follow from the new data.
/// @throws ArgumentError  if the policies, or sizes, are others; nothing is copied then
template <class T>
KnownRows copy_earlier(const WarmStartSide<ParameterView<T>>& own,
                       const WarmStartSide<Rows<const T>>& earlier, const std::string& name) {
  const auto require_same = [&](const char* kind, const std::string& label,
                                const std::string& earlier_label) {
    require(label == earlier_label, "model",
            std::string("must have the ") + kind + ' ' + earlier_label + ", as " + name +
                " has, not " + label);
  };
  require_same("backbone", own.backbone, earlier.backbone);
  require_same("loss", own.loss, earlier.loss);
  const std::vector<Index> users = earlier_rows(*own.train.user_ids(), *earlier.train.user_ids());
  const std::vector<Index> items = earlier_rows(*own.train.item_ids(), *earlier.train.item_ids());
  const KnownRows known{count_known(users), count_known(items)};
  require(known.users > 0 || known.items > 0, "model",
          "must be of some of the users or items of " + name + ": none of their ids are the same");
  const auto fits = [&](const ParameterView<T>& to, Rows<const T> from) {
    const std::size_t size = to.reached == ParameterRows::users   ? earlier.train.users()
                             : to.reached == ParameterRows::items ? earlier.train.items()
                                                                  : to.rows.size();
    return !to.trained || (from.size() == size && from.dim() == to.rows.dim());
  };
  bool all_fit = own.weights.size() == earlier.weights.size();
  for (std::size_t k = 0; all_fit && k < own.weights.size(); ++k) {
    all_fit = fits(own.weights[k], earlier.weights[k]);
  }
  require(all_fit, "model", "must have tables and parameters of the sizes of those of " + name);
  for (std::size_t k = 0; k < own.weights.size(); ++k) {
    const ParameterView<T>& to = own.weights[k];
    const Rows<const T> from = earlier.weights[k];
    if (!to.trained) continue;
    if (to.reached == ParameterRows::all) {
      std::copy_n(from.data(), from.num_elements(), to.rows.data());
      continue;
    }
    const std::vector<Index>& row_of = to.reached == ParameterRows::users ? users : items;
    for (Index row = 0; row < to.rows.size(); ++row) {
      if (row_of[row] != absent) std::copy_n(from[row_of[row]], from.dim(), to.rows[row]);
    }
  }
  return known;
}

/// What a warm start reads of a saved model.
template <class T>
struct SavedWeights {
  std::vector<Matrix<T>> tables;
  Interactions train;
  std::string model, backbone, loss;
};

template <class T>
[[nodiscard]] SavedWeights<T> read_weights(const std::filesystem::path& saved) {
  return read_model_folder(saved, [&](const ModelFolderReader& folder) {
    folder.check_files();
    check_numbers<T>(folder, "model");
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
    const Manifest& manifest = folder.manifest();
    SavedWeights<T> read{{},
                         read_interactions_of(folder),
                         manifest.text("model"),
                         manifest.text("backbone"),
                         manifest.text("loss")};
    for (const std::string& name : names) read.tables.push_back(folder.table<T>(name));
    return read;
  });
}

}  // namespace detail

/// Gives a model that is about to be trained what an earlier one has learnt: the rows of users and
/// items with the same ids, and the parameters of backbone and loss, which must be the same. Rows
/// of new users and items keep their initial values. The optimizer begins anew.
///
///   Model model(split.train);                       // earlier interactions and later ones
///   warm_start(model, earlier);
///   fit(model, split, {.epochs = 10});
///
/// @throws ArgumentError  if backbone, loss or dimension are others, or no user or item is the
///     same; nothing is copied then
template <class Model>
KnownRows warm_start(Model& model, const Model& earlier) {
  model.check_on_host();
  earlier.check_on_host();
  using T = typename Model::scalar_type;
  // for_each_parameter visits mutable values, which are only read here.
  auto from = detail::warm_start_side(const_cast<Model&>(earlier));
  detail::WarmStartSide<Rows<const T>> side{
      {}, from.train, std::move(from.backbone), std::move(from.loss)};
  for (const ParameterView<T>& weights : from.weights) side.weights.push_back(weights.rows);
  const KnownRows known =
      detail::copy_earlier(detail::warm_start_side(model), side, "the earlier model");
  model.set_trained();
  return known;
}

/// The same from a folder of save_model(). Its regularizer, initializer, optimizer, sampler and
/// ranking may be others than the model's.
/// @throws DataError  if there is no saved model, or it is damaged
template <class Model>
KnownRows warm_start(Model& model, const std::filesystem::path& saved) {
  model.check_on_host();
  using T = typename Model::scalar_type;
  const detail::SavedWeights<T> read = detail::read_weights<T>(saved);
  detail::WarmStartSide<Rows<const T>> side{{}, read.train, read.backbone, read.loss};
  for (const Matrix<T>& table : read.tables) side.weights.push_back(rows(table));
  const KnownRows known = detail::copy_earlier(detail::warm_start_side(model), side,
                                               read.model + " in " + saved.string());
  model.set_trained();
  return known;
}

}  // namespace prism::inline PRISM_ISA
