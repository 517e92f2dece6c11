// SPDX-License-Identifier: BSD-3-Clause
// Ownership of Arrow's C structures: each is released once.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/arrow_abi.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Owns an ArrowSchema, ArrowArray or ArrowArrayStream, or none. The destructor calls the release
/// callback, unless the structure was moved elsewhere.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  /// Moves the structure out of `source`, and marks `source` as released, as the specification
  /// requires of a consumer. Null: takes nothing.
  explicit ArrowOwned(Struct* source) noexcept {
    if (source == nullptr) return;
    own_ = *source;
    source->release = nullptr;
  }
  ArrowOwned(ArrowOwned&& other) noexcept : own_(std::exchange(other.own_, Struct{})) {}
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    std::swap(own_, other.own_);
    return *this;
  }
  ~ArrowOwned() {
    if (own_.release != nullptr) own_.release(&own_);
  }

  /// Whether it owns a structure.
  explicit operator bool() const noexcept { return own_.release != nullptr; }
  [[nodiscard]] const Struct& operator*() const noexcept { return own_; }
  [[nodiscard]] Struct* get() noexcept { return &own_; }

  /// Moves the structure to a consumer's, which is overwritten.
  void move_to(Struct* target) noexcept { *target = std::exchange(own_, Struct{}); }

 private:
  Struct own_{};
};

/// A text of Arrow data as quoted in an error message, with control characters replaced.
[[nodiscard]] inline std::string arrow_quoted(std::string_view text) {
  constexpr std::size_t max_length = 60;
  std::string quoted = "'";
  quoted += text.substr(0, max_length);
  for (char& c : quoted) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  return quoted + (text.size() > max_length ? "...'" : "'");
}

/// Used in place of a file name in error messages.
inline constexpr const char* arrow_source = "Arrow data";

[[noreturn]] inline void fail_arrow(const std::string& problem) {
  throw DataError(arrow_source, 0, problem);
}

}  // namespace prism::inline PRISM_ISA::detail
