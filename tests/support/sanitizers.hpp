// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(__SANITIZE_ADDRESS__)  // g++
#define PRISM_TEST_SANITIZED 1
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer)
#define PRISM_TEST_SANITIZED 1
#endif
#endif

namespace test {

/// Whether this program runs under the address sanitizer, which is slow: long numerical tests then
/// do less, because only their memory accesses are of interest.
#if defined(PRISM_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace test
