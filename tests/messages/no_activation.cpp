// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

prism::MLP<8, 2, prism::Adam> backbone;
