// SPDX-License-Identifier: BSD-3-Clause
// The files of a saved model, written and read as one.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/staged_folder.hpp"
#include "prism/data/ids.hpp"
#include "prism/serve/escaped_line.hpp"
#include "prism/serve/manifest.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/npy_reader.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr const char* manifest_name = "manifest.txt";

/// The text of a manifest; of a longer file only the beginning, which Manifest refuses.
/// @throws DataError  if the file cannot be read, or is empty
[[nodiscard]] inline std::string manifest_text(InputFile file) {
  std::string text(std::min<std::uint64_t>(file.left(), Manifest::max_size + 1), '\0');
  if (text.empty()) file.fail("cannot be read: it is empty");
  file.read(text.data(), text.size());
  return text;
}

/// A folder that stays open, so that all files are read from it even if another one takes its name,
/// and so that its inode number is not reused.
class OpenFolder {
 public:
  explicit OpenFolder(const std::filesystem::path& path)
      : path_(path), folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  /// Whether the folder could be opened; otherwise errno says why not.
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(folder_); }

  /// Whether there is something of this name in it.
  [[nodiscard]] bool has(const std::string& name) const {
    struct stat status{};
    return ::fstatat(folder_.get(), name.c_str(), &status, 0) == 0;
  }

  /// @throws DataError  if there is no such file, or it cannot be opened
  [[nodiscard]] InputFile file(const std::string& name) const {
    return {folder_.get(), name, (path_ / name).string()};
  }

  /// Whether another folder has taken its name since, or the name is gone.
  [[nodiscard]] bool replaced() const {
    struct stat own{}, named{};
    return ::fstat(folder_.get(), &own) != 0 || ::stat(path_.c_str(), &named) != 0 ||
           own.st_ino != named.st_ino || own.st_dev != named.st_dev;
  }

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

/// The name of a file in a folder that is not part of a saved model there; empty if there is none.
/// @throws DataError  if the folder cannot be read
[[nodiscard]] PRISM_INLINE std::string file_of_another_program(const std::filesystem::path& path);

/// @throws DataError  if a folder has anything but a saved model in it, or cannot be read
PRISM_INLINE void require_own_files(const std::filesystem::path& path);

/// Writes a folder of files with a manifest; publish() gives it its name.
class ModelFolderWriter {
 public:
  /// @throws DataError  as StagedFolder does, or if there is a folder of that name that has
  ///     anything but a saved model in it, or cannot be read
  explicit ModelFolderWriter(const std::filesystem::path& path) : folder_(path) {
    require_own_files(folder_.final_path());
  }

  [[nodiscard]] Manifest& manifest() noexcept { return manifest_; }

  void table(const std::string& name, Rows<const float> rows) { write_table(name, rows); }
  void table(const std::string& name, Rows<const double> rows) { write_table(name, rows); }
  void table(const std::string& name, Rows<const std::uint32_t> rows) { write_table(name, rows); }

  /// Writes a line for each id.
  void ids(const std::string& name, const Ids& ids) { write(name, {id_lines(ids)}); }

  /// @throws DataError  if a file cannot be written, or the folder cannot take its name
  /// @throws ArgumentError  if the notes are too long for a manifest
  void publish();

 private:
  template <class T>
  void write_table(const std::string& name, Rows<const T> rows) {
    // The header is a multiple of 8 bytes, as the checksum requires of its parts.
    write(name, {npy_header<T>(rows.size(), rows.dim()), bytes_of(rows)});
  }

  void write(const std::string& name, std::initializer_list<std::string_view> parts);

  [[noreturn]] void fail(const std::string& name) const {
    const std::error_code error(errno, std::generic_category());
    throw DataError((folder_.final_path() / name).string(), 0,
                    "cannot be written: " + error.message());
  }

  StagedFolder folder_;
  Manifest manifest_;
};

/// Reads such a folder, whatever its name is by then. Memory is bounded by the size of its files.
class ModelFolderReader {
 public:
  /// @throws DataError  if there is none, or its manifest is damaged
  explicit ModelFolderReader(std::filesystem::path path)
      : path_(std::move(path)), folder_(path_), manifest_(read_manifest()) {}

  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }

  /// Checks the size and checksum of every file.
  /// @throws DataError  for a file that is missing or damaged
  void check_files() const {
    constexpr std::string_view prefix = "file ";
    for (const auto& [name, value] : manifest_.lines()) {
      if (name.starts_with(prefix)) check_file(name.substr(prefix.size()));
    }
  }

  /// Reads a file into a new table.
  /// @throws DataError  if the file is missing, damaged or holds other numbers
  template <class T>
  [[nodiscard]] Matrix<T> table(const std::string& name) const {
    return open(name).read<T>();
  }
  /// Reads a file into an existing table.
  template <class T>
  void table(const std::string& name, Rows<T> rows) const {
    open(name).read_into(rows);
  }
  /// The rows x columns of a file of the manifest, without reading its numbers.
  [[nodiscard]] std::pair<std::size_t, std::size_t> shape(const std::string& name) const {
    const NpyFile file = open(name);
    return {file.rows(), file.columns()};
  }

  /// @throws DataError  for a line that is not an id, or repeats an earlier one
  [[nodiscard]] std::shared_ptr<const Ids> ids(const std::string& name) const;

  /// Whether another folder has taken the name since this one was opened.
  [[nodiscard]] bool replaced() const { return folder_.replaced(); }

  /// @throws DataError  that names the folder
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(path_.string(), 0, problem);
  }

 private:
  [[nodiscard]] Manifest read_manifest() const;

  /// As many bytes of a file as the manifest says.
  [[nodiscard]] std::string content(const std::string& name) const;

  [[nodiscard]] NpyFile open(const std::string& name) const {
    static_cast<void>(manifest_.file(name));  // throws for a file that is not the model's
    return NpyFile(folder_.file(name));
  }

  void check_file(const std::string& name) const;

  std::filesystem::path path_;
  OpenFolder folder_;
  Manifest manifest_;
};

}  // namespace prism::inline PRISM_ISA::detail

#ifndef PRISM_COMPILED
#include "prism/serve/model_folder.inl.hpp"
#endif
