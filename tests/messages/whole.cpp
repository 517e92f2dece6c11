// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>
