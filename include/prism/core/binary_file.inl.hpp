// SPDX-License-Identifier: BSD-3-Clause
// Definitions of binary_file.hpp.
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

namespace detail {

PRISM_INLINE void Checksum::add(std::string_view bytes) noexcept {
  for (; bytes.size() >= word_size; bytes.remove_prefix(word_size)) add_word(bytes.data());
  if (bytes.empty()) return;
  char word[word_size] = {};
  std::memcpy(word, bytes.data(), bytes.size());
  add_word(word);
}

}  // namespace detail

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

PRISM_INLINE void BinaryWriter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), detail::file_buffer - buffer_.size());
    buffer_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    if (buffer_.size() < detail::file_buffer) return;
    sum_.add(buffer_);
    file_.write(buffer_);
    written_ += buffer_.size();
    buffer_.clear();
  }
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
