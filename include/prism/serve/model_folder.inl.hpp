// SPDX-License-Identifier: BSD-3-Clause
// Functions that model_folder.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <fcntl.h>
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

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/file_descriptor.hpp"
#include "prism/core/index.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/staged_folder.hpp"
#include "prism/data/ids.hpp"
#include "prism/serve/escaped_line.hpp"
#include "prism/serve/manifest.hpp"
#include "prism/serve/model_folder.hpp"
#include "prism/serve/npy.hpp"
#include "prism/serve/npy_reader.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE std::string file_of_another_program(const std::filesystem::path& path) {
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

PRISM_INLINE void require_own_files(const std::filesystem::path& path) {
  const std::string other = file_of_another_program(path);
  if (other.empty()) return;
  throw DataError(
      path.string(), 0,
      "cannot be written: it is a folder with files that are not part of a saved model, "
      "such as " +
          other);
}

PRISM_INLINE void ModelFolderWriter::publish() {
  const std::string text = manifest_.to_text();
  require(text.size() <= Manifest::max_size && manifest_.lines().size() + 2 <= Manifest::max_lines,
          "notes", "are too long: the manifest may have at most 1 MiB and 4096 lines");
  write(manifest_name, {text});
  folder_.publish();
}

PRISM_INLINE void ModelFolderWriter::write(const std::string& name,
                                           std::initializer_list<std::string_view> parts) {
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

PRISM_INLINE std::shared_ptr<const Ids> ModelFolderReader::ids(const std::string& name) const {
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

PRISM_INLINE Manifest ModelFolderReader::read_manifest() const {
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

PRISM_INLINE std::string ModelFolderReader::content(const std::string& name) const {
  const std::uint64_t size = manifest_.file(name).size;
  InputFile file = folder_.file(name);
  if (size > file.left()) file.fail("is truncated");
  std::string text(size, '\0');
  file.read(text.data(), size);
  return text;
}

PRISM_INLINE void ModelFolderReader::check_file(const std::string& name) const {
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

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
