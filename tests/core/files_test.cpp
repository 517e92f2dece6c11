// SPDX-License-Identifier: BSD-3-Clause
// Where a path leads, and files that appear whole or not at all.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "data/temporary_file.hpp"
#include "prism/core/cpu_quota.hpp"
#include "prism/core/error.hpp"
#include "prism/core/real_path.hpp"
#include "prism/core/staged_file.hpp"
#include "prism/core/staged_folder.hpp"

namespace fs = std::filesystem;
using namespace prism;

namespace {

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  detail::StagedFile file(path);
  file.write(text);
  file.publish();
}

}  // namespace

TEST_CASE("a path leads through links to a file, whether or not it exists") {
  const TemporaryFolder folder;
  const fs::path real = fs::canonical(folder.path()) / "real";
  fs::create_directory(real);
  fs::create_symlink("real", folder / "folder");
  fs::create_symlink("real/none", folder / "relative");
  fs::create_symlink(real / "none", folder / "absolute");
  fs::create_symlink("relative", folder / "twice");
  std::error_code error;
  for (const char* name : {"folder/none", "relative", "absolute", "twice", "real/../real/none"}) {
    CAPTURE(name);
    CHECK(detail::real_path(folder / name, error) == real / "none");
    CHECK_FALSE(error);
  }
  CHECK(detail::real_path(folder / "real/", error) == real);
  fs::create_symlink("loop", folder / "loop");
  static_cast<void>(detail::real_path(folder / "loop", error));
  CHECK(error);
}

TEST_CASE("a file and a folder are written where links lead, and the links stay") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink("real/file", folder / "to_file");
  fs::create_symlink("real/folder", folder / "to_folder");
  for (const char* text : {"first", "second"}) {
    write(folder / "to_file", text);
    CHECK(text_of(folder / "real/file") == text);
    detail::StagedFolder staged(folder / "to_folder");
    write(staged.path() / "inside", text);
    staged.publish();
    CHECK(text_of(folder / "real/folder/inside") == text);
  }
  CHECK(fs::is_symlink(folder / "to_file"));
  CHECK(fs::is_symlink(folder / "to_folder"));
}

TEST_CASE("a folder's name is not a file's") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(write(folder / "none/", "text"),
                       doctest::Contains("it is not the name of a file"), DataError);
  CHECK_THROWS_AS(write("", "text"), DataError);
  CHECK_FALSE(fs::exists(folder / "none"));
}

TEST_CASE("what has a file's temporary name is not written through") {
  const TemporaryFolder folder;
  write(folder / "victim", "untouched");
  SUBCASE("a link") { fs::create_symlink("victim", folder / "file.partial"); }
  SUBCASE("a pipe") { REQUIRE(::mkfifo((folder / "file.partial").c_str(), 0600) == 0); }
  CHECK_THROWS_WITH_AS(write(folder / "file", "text"),
                       doctest::Contains("file.partial is not a regular file"), DataError);
  CHECK(text_of(folder / "victim") == "untouched");
  CHECK_FALSE(fs::exists(folder / "file"));
}

TEST_CASE("a container's CPU quota is that of its control group and of those around it") {
  const TemporaryFolder root;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  const auto quota = [&] { return cpu_quota(root.path()); };
  CHECK_FALSE(quota());  // no such files
  write("proc/self/cgroup", "0::/pod/job\n");
  CHECK_FALSE(quota());
  write("sys/fs/cgroup/pod/job/cpu.max", "max 100000\n");
  CHECK_FALSE(quota());
  write("sys/fs/cgroup/pod/cpu.max", "350000 100000\n");
  CHECK(quota() == 4);
  write("sys/fs/cgroup/pod/job/cpu.max", "20000 100000\n");
  CHECK(quota() == 1);
  // In a container, the group's path is that of the machine, and only its own folder is mounted.
  write("proc/self/cgroup", "0::/other/machine/path\n");
  CHECK_FALSE(quota());
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(quota() == 2);
  // Version 1, in whose list of groups version 2 may stand too.
  write("proc/self/cgroup", "3:cpuset:/a\n2:cpu,cpuacct:/docker/1\n0::/elsewhere\n");
  CHECK(quota() == 2);
  std::filesystem::remove(root / "sys/fs/cgroup/cpu.max");
  CHECK_FALSE(quota());
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  CHECK_FALSE(quota());
  write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_period_us", "50000\n");
  write("sys/fs/cgroup/cpu/docker/1/cpu.cfs_quota_us", "150000\n");
  CHECK(quota() == 3);
  write("proc/self/cgroup", "nonsense\n:\n");
  CHECK_FALSE(quota());
}
