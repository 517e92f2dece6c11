// SPDX-License-Identifier: BSD-3-Clause
// Units compiled with and without zlib, in one program: each reads with its own code. If they
// shared a class whose layout differs, they would read neither file.
#include <cstdio>

#include "data/temporary_file.hpp"
#include "unit.hpp"

int main() {
  const std::string text = "1,2\n1,3\n2,3\n";
  const TemporaryFile plain(text), gzip(gzipped(text));
  const std::string plain_path = plain.path().string(), gzip_path = gzip.path().string();
  const std::string refused =
      gzip_path + ": is a gzip file, but the library was built without zlib; decompress it first";
  int wrong = 0;
  const auto check = [&](const std::string& found, const std::string& expected) {
    if (found == expected) return;
    std::printf("read %s, not %s\n", found.c_str(), expected.c_str());
    ++wrong;
  };
  check(with_zlib(plain_path), "3 and 3");
  check(with_zlib(gzip_path), "3 and 3");
  check(without_zlib(plain_path), "3 and 3");
  check(without_zlib(gzip_path), refused);
  return wrong;
}
