// SPDX-License-Identifier: BSD-3-Clause
// Functions that item_filter.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/serve/item_filter.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE ItemSet::ItemSet(const char* argument, std::vector<Index> items)
    : items_(std::make_shared<const std::vector<Index>>(std::move(items))), rows_(*items_) {
  const std::vector<Index>& list = *items_;
  for (std::size_t j = 1; j < list.size(); ++j) {
    require(list[j - 1] < list[j], argument,
            "must be in ascending order without duplicates, but item " + std::to_string(list[j]) +
                " follows " + std::to_string(list[j - 1]));
  }
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
