// SPDX-License-Identifier: BSD-3-Clause
// The files of a saved model, written and read as one.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
#include "prism/core/index.hpp"
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
    struct stat status {};
    return ::fstatat(folder_.get(), name.c_str(), &status, 0) == 0;
  }

  /// @throws DataError  if there is no such file, or it cannot be opened
  [[nodiscard]] InputFile file(const std::string& name) const {
    return {folder_.get(), name, (path_ / name).string()};
  }

  /// Whether another folder has taken its name since, or the name is gone.
  [[nodiscard]] bool replaced() const {
    struct stat own {
    }, named{};
    return ::fstat(folder_.get(), &own) != 0 || ::stat(path_.c_str(), &named) != 0 ||
           own.st_ino != named.st_ino || own.st_dev != named.st_dev;
  }

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

/// The name of a file in a folder that is not part of a saved model there; empty if there is none.
/// @throws DataError  if the folder cannot be read
[[nodiscard]] inline std::string file_of_another_program(const std::filesystem::path& path) {
  const auto unreadable = [&](const std::error_code& why) {
    return DataError(path.string(), 0,
                     "cannot be written: the existing folder cannot be read: " + why.message());
  };
  const OpenFolder folder(path);
  if (!folder) {
    const std::error_code why(errno, std::generic_category());
    if (why == std::errc::not_a_directory) {
      throw DataError(path.string(), 0, "cannot be written: it exists and is not a folder");
    }
    if (why != std::errc::no_such_file_or_directory) throw unreadable(why);
    return {};
  }
  std::error_code error;
  Manifest manifest;
  std::string other;
  if (folder.has(manifest_name)) {
    try {
      manifest =
          Manifest((path / manifest_name).string(), manifest_text(folder.file(manifest_name)));
    } catch (const DataError&) {
      other = manifest_name;
    }
  }
  std::filesystem::directory_iterator entry(path, error);
  for (; other.empty() && !error && entry != std::filesystem::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool own = name == manifest_name ? !manifest.lines().empty()
                                           : manifest.find("file " + name) != nullptr;
    if (!own) other = name;
  }
  // The files seen may be of two folders; whoever has replaced the folder saves models too.
  if (folder.replaced()) return {};
  if (error) throw unreadable(error);
  return other;
}

/// @throws DataError  if a folder has anything but a saved model in it, or cannot be read
inline void require_own_files(const std::filesystem::path& path) {
  const std::string other = file_of_another_program(path);
  if (other.empty()) return;
  throw DataError(
      path.string(), 0,
      "cannot be written: it is a folder with files that are not part of a saved model, "
      "such as " +
          other);
}

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
  void publish() {
    const std::string text = manifest_.to_text();
    require(
        text.size() <= Manifest::max_size && manifest_.lines().size() + 2 <= Manifest::max_lines,
        "notes", "are too long: the manifest may have at most 1 MiB and 4096 lines");
    write(manifest_name, {text});
    folder_.publish();
  }

 private:
  template <class T>
  void write_table(const std::string& name, Rows<const T> rows) {
    // The header is a multiple of 8 bytes, as the checksum requires of its parts.
    write(name, {npy_header<T>(rows.size(), rows.dim()), bytes_of(rows)});
  }

  void write(const std::string& name, std::initializer_list<std::string_view> parts) {
    const std::filesystem::path path = folder_.path() / name;
    const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file) fail(name);
    FileEntry entry;
    Checksum sum;
    for (std::string_view bytes : parts) {
      entry.size += bytes.size();
      sum.add(bytes);
      while (!bytes.empty()) {
        const ::ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail(name);
        bytes.remove_prefix(static_cast<std::size_t>(written));
      }
    }
    if (::fsync(file.get()) != 0) fail(name);
    entry.checksum = sum.value();
    if (name != manifest_name) manifest_.add_file(name, entry);
  }

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
  [[nodiscard]] std::shared_ptr<const Ids> ids(const std::string& name) const {
    const std::filesystem::path path = path_ / name;
    const std::string text = content(name);
    auto ids = std::make_shared<Ids>();
    std::string_view left = text;
    for (std::size_t line = 1; !left.empty(); ++line) {
      const std::size_t end = left.find('\n');
      if (end == std::string_view::npos) throw DataError(path.string(), line, "is truncated");
      const auto id = unescaped_line(left.substr(0, end));
      left.remove_prefix(end + 1);
      if (!id)
        throw DataError(path.string(), line,
                        "has an invalid escape; the valid ones are \\n, \\r, \\t and \\\\");
      if (ids->intern(*id) != line - 1) {
        throw DataError(path.string(), line, "has an id that an earlier line already has: " + *id);
      }
    }
    return ids;
  }

  /// Whether another folder has taken the name since this one was opened.
  [[nodiscard]] bool replaced() const { return folder_.replaced(); }

  /// @throws DataError  that names the folder
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError(path_.string(), 0, problem);
  }

 private:
  [[nodiscard]] Manifest read_manifest() const {
    if (!folder_) {
      const std::error_code error(errno, std::generic_category());
      if (error == std::errc::not_a_directory) fail("is not the folder of a saved model");
      fail("cannot be read: " + error.message());
    }
    if (!folder_.has(manifest_name)) {
      fail(std::string("is not a saved model: it has no ") + manifest_name);
    }
    return {(path_ / manifest_name).string(), manifest_text(folder_.file(manifest_name))};
  }

  /// As many bytes of a file as the manifest says.
  [[nodiscard]] std::string content(const std::string& name) const {
    const std::uint64_t size = manifest_.file(name).size;
    InputFile file = folder_.file(name);
    if (size > file.left()) file.fail("is truncated");
    std::string text(size, '\0');
    file.read(text.data(), size);
    return text;
  }

  [[nodiscard]] NpyFile open(const std::string& name) const {
    static_cast<void>(manifest_.file(name));  // throws for a file that is not the model's
    return NpyFile(folder_.file(name));
  }

  void check_file(const std::string& name) const {
    const FileEntry entry = manifest_.file(name);
    if (!folder_.has(name)) throw DataError((path_ / name).string(), 0, "is missing");
    InputFile file = folder_.file(name);
    if (file.size() != entry.size) {
      file.fail("has " + std::to_string(file.size()) + " bytes, not " + std::to_string(entry.size) +
                " as stated in " + manifest_name);
    }
    Checksum sum;
    std::string buffer;
    while (file.left() > 0) {
      buffer.resize(std::min<std::uint64_t>(file.left(), file_buffer));
      file.read(buffer.data(), buffer.size());
      sum.add(buffer);
    }
    if (sum.value() != entry.checksum) {
      file.fail("is corrupt: its checksum does not match the manifest");
    }
  }

  std::filesystem::path path_;
  OpenFolder folder_;
  Manifest manifest_;
};

}  // namespace prism::inline PRISM_ISA::detail
