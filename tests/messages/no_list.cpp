// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

using Grid = prism::Product<prism::MF<8>, prism::BPR>;
Grid grid;
