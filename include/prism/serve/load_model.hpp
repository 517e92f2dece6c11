// SPDX-License-Identifier: BSD-3-Clause
// Loads models written by save_model().
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/finite.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/data/fingerprint.hpp"
#include "prism/data/interactions.hpp"
#include "prism/policy/backbone.hpp"
#include "prism/policy/label.hpp"
#include "prism/policy/options.hpp"
#include "prism/policy/output.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/policy/ranking.hpp"
#include "prism/serve/model_folder.hpp"
#include "prism/serve/save_model.hpp"
#include "prism/serve/saved_options.hpp"
#include "prism/serve/saved_ranking.hpp"
#include "prism/serve/saved_scorer.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Reads a folder by read(reader); reads again if another model has taken its place meanwhile.
template <class Read>
auto read_model_folder(const std::filesystem::path& path, const Read& read) {
  constexpr int max_attempts = 100;  // for a folder that is replaced all the time
  for (int attempt = 1;; ++attempt) {
    std::optional<ModelFolderReader> folder;
    try {
      folder.emplace(path);
      auto result = read(*folder);
      if (!folder->replaced()) return result;
    } catch (const Error&) {
      // A folder that was replaced while it was opened may have lost its manifest.
      const bool replaced = folder ? folder->replaced() : attempt <= 2;
      if (!replaced || attempt == max_attempts) throw;
    }
    if (attempt == max_attempts) folder->fail("was replaced during each attempt to read it");
  }
}

[[nodiscard]] inline Interactions read_interactions_of(const ModelFolderReader& folder) {
  auto user_ids = folder.ids("user_ids.txt");
  auto item_ids = folder.ids("item_ids.txt");
  const Matrix<std::uint32_t> table = folder.table<std::uint32_t>("train.npy");
  if (table.shape(1) != 2) folder.fail("has a train.npy whose shape is not (n, 2)");
  const std::size_t count = table.shape(0);
  std::vector<Interaction> pairs(count);
  for (std::size_t k = 0; k < count; ++k) {
    pairs[k] = {table(k, 0), table(k, 1)};
    if (pairs[k].user >= user_ids->size() || pairs[k].item >= item_ids->size()) {
      folder.fail("has a train.npy with a user or item number that has no id");
    }
  }
  std::vector<double> times;
  if (folder.manifest().find("file times.npy") != nullptr) {
    const Matrix<double> column = folder.table<double>("times.npy");
    if (column.shape(0) != count || column.shape(1) != 1) {
      folder.fail("has a times.npy whose shape is not (n, 1) for the n interactions");
    }
    times.assign(column.data(), column.data() + column.size());
    for (const double time : times) {
      if (!is_finite(time)) folder.fail("has a times.npy with a time that is not finite");
    }
  }
  Interactions train(std::move(user_ids), std::move(item_ids), pairs, times);
  if (train.empty()) folder.fail("has no training interactions");
  return train;
}

/// Fails unless a file is a table of this shape.
inline void require_shape(const ModelFolderReader& folder, const std::string& name,
                          std::size_t size, std::size_t dim) {
  const auto [found_size, found_dim] = folder.shape(name);
  if (found_size == size && found_dim == dim) return;
  folder.fail("has " + name + " of shape (" + std::to_string(found_size) + ", " +
              std::to_string(found_dim) + "), not (" + std::to_string(size) + ", " +
              std::to_string(dim) + ")");
}

/// Memory with a limit, so that a damaged folder cannot request more than its files justify.
class LimitedMemory final : public std::pmr::memory_resource {
 public:
  explicit LimitedMemory(std::size_t bytes) : left_(bytes) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > left_) throw std::bad_alloc();
    left_ -= bytes;
    return table_memory()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    left_ += bytes;
    table_memory()->deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t left_;
};

/// Fails if the policies' parameters would be larger than the files of a folder.
template <class Model>
void check_parameters(const ModelFolderReader& folder, const typename Model::Options& options,
                      const Interactions& train) {
  using Scalar = typename Model::scalar_type;
  // A State may keep a number for each row, such as LightGCN's normalisation.
  std::size_t bytes = 4096 + (std::size_t{train.users()} + train.items()) * sizeof(Scalar);
  for (const auto& [name, value] : folder.manifest().lines()) {
    if (name.starts_with("file backbone_") || name.starts_with("file loss_")) {
      bytes += folder.manifest().file(name.substr(std::string_view("file ").size())).size;
    }
  }
  constexpr std::size_t state_factor = 4;  // a State may have more memory than its parameters
  LimitedMemory limited(state_factor * bytes);
  try {
    StateContext context{train, options.backbone.dim(), options.seed, Stream::backbone, &limited};
    static_cast<void>(make_state<Scalar>(options.backbone, context));
    context.dim = prism::output_dim(options.backbone);
    context.stream = Stream::loss;
    static_cast<void>(make_state<Scalar>(options.loss, context));
  } catch (const std::bad_alloc&) {
    folder.fail("has fewer parameters than its policies need");
  }
}

template <class State>
void read_parameters(const ModelFolderReader& folder, const char* kind, State& state) {
  std::size_t k = 0;
  state.for_each_parameter([&](const auto& parameter) {
    const std::string name = parameter_file(kind, ++k);
    require_shape(folder, name, parameter.rows.size(), parameter.rows.dim());
    folder.table(name, parameter.rows);
  });
  const std::string next = parameter_file(kind, k + 1);
  if (folder.manifest().find("file " + next) != nullptr) {
    folder.fail("has " + next + ", a parameter that none of its policies has");
  }
}

template <class Scalar>
void check_numbers(const ModelFolderReader& folder, const char* argument) {
  const std::string own = sizeof(Scalar) == sizeof(float) ? "float" : "double";
  const std::string& saved = folder.manifest().text("numbers");
  require(saved == own, argument, "must be " + saved + ", the type of the saved model, not " + own);
}

template <class Model, Execution X>
[[nodiscard]] Model model_of(const X& exec, const ModelFolderReader& folder,
                             const std::string& path, typename Model::Options options) {
  using Scalar = typename Model::scalar_type;
  const Manifest& manifest = folder.manifest();
  check_numbers<Scalar>(folder, "Scalar");
  const bool own_tables = manifest.find("file user_table.npy") != nullptr;
  const char* const user_table = own_tables ? "user_table.npy" : "users.npy";
  const char* const item_table = own_tables ? "item_table.npy" : "items.npy";
  options.seed = manifest.number<std::uint64_t>("seed");
  set_dim(options.backbone, folder.shape(user_table).second);
  for_each_kind(options,
                [&](const char* kind, auto& policy) { restore_options(manifest, kind, policy); });
  check_labels(manifest, path, options);
  options.for_each_policy([&](const auto& policy) {
    try {
      prism::check_options(policy);
    } catch (const ArgumentError& error) {
      folder.fail(std::string("has an option outside its domain: ") + error.what());
    }
  });
  Interactions train = read_interactions_of(folder);
  if (fingerprint(train) != manifest.text("train")) {
    folder.fail("has training interactions that do not match its manifest");
  }
  options.ranking = read_ranking(folder, train.items());
  require_shape(folder, user_table, train.users(), options.backbone.dim());
  require_shape(folder, item_table, train.items(), options.backbone.dim());
  check_parameters<Model>(folder, options, train);

  Model model(exec, std::move(train), std::move(options));
  auto& weights = model.weights();
  folder.table(user_table, rows(weights.users));
  folder.table(item_table, rows(weights.items));
  read_parameters(folder, "backbone", weights.backbone);
  read_parameters(folder, "loss", weights.loss);
  model.set_trained();
  return model;
}

/// The scorer with the rows as training left them.
/// @param scorer  with the rows as ranked; rows that are the same are shared
template <class T>
[[nodiscard]] Scorer<T> read_trained(const ModelFolderReader& folder, const Scorer<T>& scorer,
                                     const Ranking& ranking) {
  if (ranking.as_trained()) return scorer;
  const auto read = [&](const char* name, const char* embeddings, Rows<const T> ranked) {
    const bool own = folder.manifest().find(std::string("file ") + name) != nullptr;
    const char* const file = own ? name : embeddings;
    require_shape(folder, file, ranked.size(), ranked.dim());
    return folder.table<T>(file);
  };
  struct Owned {
    Output<T> output;  // keeps the rows that are shared
    Matrix<T> users, items;
  };
  const Rows<const T> users = scorer.output.users(), items = scorer.output.items();
  const auto owned = std::make_shared<Owned>(
      Owned{scorer.output,
            ranking.users ? read("trained_users.npy", "user_table.npy", users) : Matrix<T>(),
            read("trained_items.npy", "item_table.npy", items)});
  const Embeddings<const T> trained{ranking.users ? rows(std::as_const(owned->users)) : users,
                                    rows(std::as_const(owned->items))};
  return {Output<T>(trained, owned), scorer.user_factor, scorer.item_factor, scorer.offset};
}

}  // namespace detail

/// Loads a model written by save_model(), bit for bit, with its training interactions and its
/// ranking, whose function of popularity, if it had one, has become `magnitudes`.
/// @param exec     where the model is constructed; the host's threads if left out
/// @param path     of the folder
/// @param options  values that are not saved: a memory resource, and non-numeric options of
///     user-defined policies; all others are read from the folder
/// @throws DataError      if there is no saved model, or it is damaged
/// @throws ArgumentError  if the saved model has other policies or another scalar type
template <class Model, Execution X>
[[nodiscard]] Model load_model(const X& exec, const std::filesystem::path& path,
                               const typename Model::Options& options = {}) {
  return detail::read_model_folder(path, [&](const detail::ModelFolderReader& folder) {
    folder.check_files();
    return detail::model_of<Model>(exec, folder, path.string(), options);
  });
}
template <class Model>
[[nodiscard]] Model load_model(const std::filesystem::path& path,
                               const typename Model::Options& options = {}) {
  return load_model<Model>(par, path, options);
}

/// Loads the scorer of a saved model with any policies, for rank_items() and recommend(). Its items
/// have the magnitudes that the model ranks them with; with_ranking() gives them others.
/// @tparam T  the model's scalar type, float or double
/// @throws DataError      if there is no saved model, or it is damaged
/// @throws ArgumentError  if the model's scalar type is not T
template <class T = float>
[[nodiscard]] SavedScorer<T> load_scorer(const std::filesystem::path& path) {
  return detail::read_model_folder(path, [](const detail::ModelFolderReader& folder) {
    folder.check_files();
    detail::check_numbers<T>(folder, "T");
    Interactions train = detail::read_interactions_of(folder);
    const std::size_t dim = folder.shape("users.npy").second;
    detail::require_shape(folder, "users.npy", train.users(), dim);
    detail::require_shape(folder, "items.npy", train.items(), dim);
    Scorer<T> scorer{Output<T>(folder.table<T>("users.npy"), folder.table<T>("items.npy"))};
    const auto factors = [&](const std::string& name, std::size_t size) {
      std::vector<T> factor;
      if (folder.manifest().find("file " + name) == nullptr) return factor;
      detail::require_shape(folder, name, size, 1);
      factor.resize(size);
      folder.table(name, Rows<T>(factor.data(), size, 1));
      return factor;
    };
    scorer.user_factor = factors("user_factors.npy", train.users());
    scorer.item_factor = factors("item_factors.npy", train.items());
    const auto offset = folder.manifest().number<double>("offset");
    if (!detail::is_finite(offset) || std::abs(offset) > std::numeric_limits<T>::max()) {
      folder.fail("has an offset that is not a finite number of the model's type");
    }
    scorer.offset = static_cast<T>(offset);
    Ranking ranking = detail::read_ranking(folder, train.items());
    Scorer<T> trained = detail::read_trained(folder, scorer, ranking);
    return SavedScorer<T>{std::move(scorer), std::move(train), folder.manifest().text("model"),
                          std::move(ranking), std::move(trained)};
  });
}

/// Returns the description in a saved model's manifest, as (name, value). Names are such as
/// "model", "numbers", "loss.tau" and "note learning_rate".
/// @throws DataError  if there is no saved model, or its manifest is damaged
[[nodiscard]] inline SavedNotes saved_model_description(const std::filesystem::path& path) {
  return detail::read_model_folder(path, [](const detail::ModelFolderReader& folder) {
    SavedNotes description;
    for (const auto& line : folder.manifest().lines()) {
      if (!line.first.starts_with("file ")) description.push_back(line);
    }
    return description;
  });
}

}  // namespace prism::inline PRISM_ISA
