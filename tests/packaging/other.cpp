// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

std::size_t users_in_other_unit(const prism::Interactions& data);

std::size_t users_in_other_unit(const prism::Interactions& data) { return data.users(); }
