// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

using ModelGrid = prism::Grid<prism::MF<8>, prism::BPR>;
ModelGrid grid;
