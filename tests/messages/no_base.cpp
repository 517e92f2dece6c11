// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::PRISM<1.0, prism::None> initializer;
