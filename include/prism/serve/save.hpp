// SPDX-License-Identifier: BSD-3-Clause
// Writes a model's embeddings where other programs can read them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
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

/// Files that appear under their names only once all of them are written whole.
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
    // What can be known beforehand is: past this point nothing should fail half-way.
    for (const auto& name : names_) {
      if (std::filesystem::is_directory(directory_ / name)) {
        throw DataError((directory_ / name).string(), 0, "is a directory; a file is to go there");
      }
    }
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

/// Ids a line each.
template <class IdOf>
[[nodiscard]] std::string id_lines(const char* kind, Index count, const IdOf& id_of) {
  std::string lines;
  for (Index row = 0; row < count; ++row) {
    const std::string_view id = id_of(row);
    if (id.find_first_of("\r\n") != std::string_view::npos) {
      throw ArgumentError(kind, "row " + std::to_string(row) +
                                    " has an id with a line end in it, and cannot stand in a line");
    }
    lines.append(id).push_back('\n');
  }
  return lines;
}

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
/// @throws DataError      where a file cannot be written
/// @throws ArgumentError  where an id has a line end in it
template <class Model>
void save_embeddings(const Model& model, const std::filesystem::path& directory) {
  detail::StagedFiles files(directory);
  const auto output = model.output();
  files.write("users.npy", detail::npy(output.users()));
  files.write("items.npy", detail::npy(output.items()));
  const Interactions& train = model.train();
  files.write("user_ids.txt", detail::id_lines("user_ids", train.users(),
                                               [&](Index user) { return train.user_id(user); }));
  files.write("item_ids.txt", detail::id_lines("item_ids", train.items(),
                                               [&](Index item) { return train.item_id(item); }));
  files.publish();
}

}  // namespace prism::inline PRISM_ISA
