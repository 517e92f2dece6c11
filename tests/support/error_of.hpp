// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <prism/core/error.hpp>
#include <string>
#include <type_traits>

namespace test {

/// The message of the error that a call throws; "nothing is refused" if it throws none.
template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
    } else {
      static_cast<void>(call());
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is refused";
}

/// The same for an ArgumentError.
template <class Call>
std::string refusal(const Call& call) {
  return error_of<prism::ArgumentError>(call);
}

}  // namespace test
