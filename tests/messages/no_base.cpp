// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

prism::PRISM<1.0, prism::None> initializer;
