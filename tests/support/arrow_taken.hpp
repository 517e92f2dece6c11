// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <prism/data/arrow.hpp>

namespace test {

/// What a consumer of Arrow's structures holds: released at the end unless it was released before.
struct ArrowTaken {
  ArrowSchema schema{};
  ArrowArray array{};

  ArrowTaken() = default;
  ArrowTaken(const ArrowTaken&) = delete;
  ArrowTaken& operator=(const ArrowTaken&) = delete;
  ~ArrowTaken() {
    if (schema.release != nullptr) schema.release(&schema);
    if (array.release != nullptr) array.release(&array);
  }
};

}  // namespace test
