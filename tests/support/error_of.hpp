// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace test {

/// The text of the error that a call throws; "nothing was thrown" where it throws none.
template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace test
