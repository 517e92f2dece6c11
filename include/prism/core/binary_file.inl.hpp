// SPDX-License-Identifier: BSD-3-Clause
// Functions that binary_file.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/input_file.hpp"
#include "prism/core/staged_file.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE void BinaryWriter::flush() {
  const std::uint64_t size = written_ + buffer_.size();
  sum_.add(buffer_);
  const std::uint64_t sum = sum_.value();
  for (const std::uint64_t last : {size, sum}) {
    char bytes[sizeof last];
    detail::to_bytes(last, bytes);
    buffer_.append(bytes, sizeof bytes);
  }
  file_.write(buffer_);
  buffer_.clear();
  file_.flush();
}

PRISM_INLINE BinaryReader::BinaryReader(const std::filesystem::path& path, const FileKind& kind)
    : file_(path) {
  std::string letters(std::min<std::uint64_t>(file_.left(), kind.letters.size()), '\0');
  take(letters.data(), letters.size());
  if (letters != kind.letters) fail("is not a " + std::string(kind.name));
  if (file_.left() < sizeof kind.version + detail::file_trailer) fail("is truncated");
  const auto version = number<std::uint32_t>();
  if (version != kind.version) {
    fail("is a " + std::string(kind.name) + " of version " + std::to_string(version) +
         "; this library reads version " + std::to_string(kind.version));
  }
  check_sum();
}

PRISM_INLINE void BinaryReader::check_sum() {
  const std::uint64_t begin = file_.position(), size = end_ - detail::file_trailer;
  file_.seek(0);
  detail::Checksum sum;
  std::string buffer;
  for (std::uint64_t at = 0; at < size; at += buffer.size()) {
    buffer.resize(std::min<std::uint64_t>(size - at, detail::file_buffer));
    take(buffer.data(), buffer.size());
    sum.add(buffer);
  }
  if (number<std::uint64_t>() != size) fail("is truncated or corrupt");
  if (number<std::uint64_t>() != sum.value()) fail("is corrupt: its checksum does not match");
  end_ = size;
  file_.seek(begin);
}

}  // namespace prism::inline PRISM_ISA
