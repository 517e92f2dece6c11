// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's embeddings where other programs can read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#if __has_include(<xtensor/io/xnpy.hpp>)  // xtensor 0.26 moved its headers
#include <xtensor/io/xnpy.hpp>
#else
#include <xtensor/xnpy.hpp>
#endif

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/matrix.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

/// Files that appear under their names all together, once each is written whole.
class StagedFiles {
 public:
  explicit StagedFiles(std::filesystem::path directory) : directory_(std::move(directory)) {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    if (error) throw DataError(directory_.string(), 0, "cannot be made: " + error.message());
  }
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;
  ~StagedFiles() {
    std::error_code ignored;
    for (const auto& name : names_) std::filesystem::remove(staged(name), ignored);
  }

  void write(const std::string& name, const std::string& content) {
    names_.push_back(name);
    std::ofstream file(staged(name), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw DataError((directory_ / name).string(), 0, "cannot be written");
  }

  void publish() {
    for (const auto& name : names_) {
      std::error_code error;
      std::filesystem::rename(staged(name), directory_ / name, error);
      if (error) {
        throw DataError((directory_ / name).string(), 0, "cannot be written: " + error.message());
      }
    }
    names_.clear();
  }

 private:
  [[nodiscard]] std::filesystem::path staged(const std::string& name) const {
    return directory_ / (name + ".partial");
  }

  std::filesystem::path directory_;
  std::vector<std::string> names_;
};

template <class T>
[[nodiscard]] std::string npy(Rows<const T> table) {
  Matrix<T> copy(typename Matrix<T>::shape_type{table.size(), table.dim()});
  std::copy_n(table.data(), table.elements(), copy.data());
  return xt::dump_npy(copy);
}

}  // namespace detail

/// Writes a model's output rows and the ids of users and items into a directory, which is made
/// where it is missing: users.npy, items.npy (rows x dim, NumPy's format), and user_ids.txt,
/// item_ids.txt (row r's id in line r + 1). Files of these names are replaced, once all four are
/// written.
/// @throws DataError  where a file cannot be written
template <class Model>
void save_embeddings(const Model& model, const std::filesystem::path& directory) {
  detail::StagedFiles files(directory);
  const auto output = model.output();
  files.write("users.npy", detail::npy(output.users()));
  files.write("items.npy", detail::npy(output.items()));
  std::string ids;
  for (Index user = 0; user < model.train().users(); ++user) {
    ids.append(model.train().user_id(user)).push_back('\n');
  }
  files.write("user_ids.txt", ids);
  ids.clear();
  for (Index item = 0; item < model.train().items(); ++item) {
    ids.append(model.train().item_id(item)).push_back('\n');
  }
  files.write("item_ids.txt", ids);
  files.publish();
}

}  // namespace prism::inline PRISM_ISA
