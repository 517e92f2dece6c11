// SPDX-License-Identifier: BSD-3-Clause
// Files with the lifetime of a test.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#if defined(PRISM_HAS_ZLIB)
#include <zlib.h>
#endif

/// An empty folder with a unique name, removed with all its contents at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(unused()) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

 private:
  static std::filesystem::path unused() {
    static std::atomic<unsigned> count{0};
    static const unsigned process = std::random_device{}();
    const auto folder = std::filesystem::temp_directory_path() /
                        ("prism_test_" + std::to_string(process) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder);
    return folder;
  }

  std::filesystem::path path_;
};

/// A file with the given bytes in a folder of its own.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes, const std::string& name = "data.txt")
      : path_(folder_ / name) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

#if defined(PRISM_HAS_ZLIB)
/// The text as the bytes of a gzip file.
inline std::string gzipped(const std::string& text) {
  const TemporaryFile empty("");
  const gzFile file = gzopen(empty.path().string().c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  std::ifstream stream(empty.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}
#endif
