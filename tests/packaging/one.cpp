// SPDX-License-Identifier: BSD-3-Clause
#include <prism/prism.hpp>

std::size_t users_in_other_unit(const prism::Interactions& data);

int main() {
  const std::vector<prism::Interaction> pairs{{0, 0}, {1, 1}};
  return users_in_other_unit(prism::Interactions(2, 2, pairs)) == 2 ? 0 : 1;
}
