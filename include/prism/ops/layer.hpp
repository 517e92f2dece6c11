// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"

namespace prism::inline PRISM_ISA {

/// A dense layer y = x W' + b.
template <class T>
struct LayerView {
  Rows<const T> weight;  // out x in
  const T* bias;         // out
};

}  // namespace prism::inline PRISM_ISA
