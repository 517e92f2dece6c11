// SPDX-License-Identifier: BSD-3-Clause
// Functions that fingerprint.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <string>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/data/fingerprint.hpp"
#include "prism/data/interactions.hpp"

namespace prism::inline PRISM_ISA {

PRISM_INLINE std::string fingerprint(const Interactions& part) {
  detail::Checksum sum;
  for (std::size_t k = 0; k < part.size(); ++k) {
    char bytes[2 * sizeof(Index)];
    detail::to_bytes(part[k].user, bytes);
    detail::to_bytes(part[k].item, bytes + sizeof(Index));
    sum.add({bytes, sizeof bytes});
  }
  return std::to_string(part.size()) + " interactions of " + std::to_string(part.users()) +
         " users and " + std::to_string(part.items()) + " items with the sum " +
         std::to_string(sum.value());
}

}  // namespace prism::inline PRISM_ISA
