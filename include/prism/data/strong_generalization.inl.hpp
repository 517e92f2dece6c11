// SPDX-License-Identifier: BSD-3-Clause
// Functions that strong_generalization.hpp declares; it includes them unless PRISM_COMPILED is
// defined.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/random.hpp"
#include "prism/core/shuffle.hpp"
#include "prism/data/ids.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/split.hpp"
#include "prism/data/strong_generalization.hpp"
#include "prism/execution/serial.hpp"

namespace prism::inline PRISM_ISA {

namespace detail {

PRISM_INLINE KeptRows::KeptRows(const Ids& all, std::span<const std::size_t> ascending)
    : row_of(all.size(), absent) {
  Ids kept;
  for (const std::size_t row : ascending) {
    row_of[row] = kept.intern(all[static_cast<Index>(row)]);
  }
  ids = std::make_shared<const Ids>(std::move(kept));
}

}  // namespace detail

PRISM_INLINE StrongGeneralizationSplit
strong_generalization_split(const Interactions& data, const StrongGeneralizationOptions& options) {
  const std::size_t users = data.users();
  const std::size_t validation_users =
      detail::part_size(users, options.validation_users, "validation_users");
  const std::size_t test_users = detail::part_size(users, options.test_users, "test_users");
  require(options.target >= 0 && options.target < 1, "target",
          "must be a fraction in [0, 1), not " + format_number(options.target));
  require(validation_users + test_users < users, "validation_users + test_users",
          "leave no users to train on: they take " + std::to_string(validation_users) + " and " +
              std::to_string(test_users) + " of " + std::to_string(users) + " users");

  std::vector<std::size_t> order = detail::random_permutation(users, options.seed);
  const std::span<std::size_t> all(order);
  const auto take = [&](std::size_t from, std::size_t count) {
    const std::span<std::size_t> part = all.subspan(from, count);
    std::sort(part.begin(), part.end());
    return detail::KeptRows(*data.user_ids(), part);
  };
  const std::size_t held_out = validation_users + test_users;
  const detail::KeptRows of_validation = take(0, validation_users);
  const detail::KeptRows of_test = take(validation_users, test_users);
  const detail::KeptRows of_train = take(held_out, users - held_out);

  std::vector<std::size_t> learnt;
  for (Index item = 0; item < data.items(); ++item) {
    const std::span<const Index> its_users = data.users_of(item);
    const bool is_learnt = std::any_of(its_users.begin(), its_users.end(),
                                       [&](Index user) { return of_train.row_of[user] != absent; });
    if (is_learnt) learnt.push_back(item);
  }
  const detail::KeptRows items(*data.item_ids(), learnt);

  StrongGeneralizationSplit split;
  detail::PartBuilder train, fold_in[2], target[2];
  std::vector<std::size_t> known;
  std::size_t begin = 0;  // of the user's interactions
  for (Index user = 0; user < users; ++user) {
    const std::size_t count = data.user_degree()[user];
    known.clear();
    for (std::size_t k = begin; k < begin + count; ++k) {
      if (items.row_of[data[k].item] != absent) known.push_back(k);
    }
    split.dropped += count - known.size();
    begin += count;
    if (const Index row = of_train.row_of[user]; row != absent) {
      for (const std::size_t k : known) train.add(data, k, row, items.row_of[data[k].item]);
      continue;
    }
    const bool is_test = of_test.row_of[user] != absent;
    const Index row = (is_test ? of_test : of_validation).row_of[user];
    // Each user has its own random stream, so its draws do not depend on other users' items.
    shuffle(serial, std::span(known), Random(options.seed, Stream::split, user + 1));
    const auto to_predict = known.size() < options.min_items
                                ? std::size_t{0}
                                : static_cast<std::size_t>(std::floor(
                                      options.target * static_cast<double>(known.size())));
    for (std::size_t p = 0; p < known.size(); ++p) {
      detail::PartBuilder& part = (p < to_predict ? target : fold_in)[is_test ? 1 : 0];
      part.add(data, known[p], row, items.row_of[data[known[p]].item]);
    }
  }
  split.train = train.build(of_train, items);
  split.validation = {fold_in[0].build(of_validation, items),
                      target[0].build(of_validation, items)};
  split.test = {fold_in[1].build(of_test, items), target[1].build(of_test, items)};
  return split;
}

}  // namespace prism::inline PRISM_ISA
