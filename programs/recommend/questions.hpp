// SPDX-License-Identifier: BSD-3-Clause
// What the answers of recommend are made with: ids, filters, the other side of a scorer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <prism/core/index.hpp>
#include <prism/data/ids.hpp>
#include <prism/policy/output.hpp>
#include <prism/serve/escaped_line.hpp>
#include <prism/serve/item_filter.hpp>
#include <span>
#include <string>
#include <vector>

#include "ids.hpp"

namespace recommend {

/// "user 7"; "users 7, 8, 9 and 2592 others", as they are printed.
[[nodiscard]] inline std::string in_words(const std::string& kind,
                                          const std::vector<std::string>& ids) {
  constexpr std::size_t shown = 3;
  std::string text = kind + (ids.size() == 1 ? " " : "s ");
  for (std::size_t k = 0; k < std::min(ids.size(), shown); ++k) {
    text += (k > 0 ? ", " : "") + prism::detail::escaped_line(ids[k]);
  }
  if (ids.size() > shown) {
    const std::size_t others = ids.size() - shown;
    text += " and " + std::to_string(others) + (others == 1 ? " other" : " others");
  }
  return text;
}

/// The users, or the items, of the model.
struct Side {
  std::string kind;  // "user" or "item"
  const prism::Ids& ids;
  std::span<const prism::Index> degree;  // of each row in training
};

/// Ids that the model has, in order, and the others.
struct Found {
  std::vector<prism::Index> rows;
  std::vector<std::string> unknown;

  void add(const std::string& id, prism::Index row) {
    if (row == prism::absent) {
      unknown.push_back(id);
    } else {
      rows.push_back(row);
    }
  }
  void add_file(const std::string& file, const Side& side) {
    for (const auto& [id, row] : programs::ids_in(file, side.ids, (side.kind + "s").c_str())) {
      add(id, row);
    }
  }
};

/// A scorer whose items are the users of another, and the other way round: both score a pair alike.
template <class T>
[[nodiscard]] prism::Scorer<T> transposed(const prism::Scorer<T>& scorer) {
  const prism::Embeddings<const T> rows{scorer.output.items(), scorer.output.users()};
  return {prism::Output<T>(rows, scorer.output.owner()), scorer.item_factor, scorer.user_factor,
          scorer.offset};
}

}  // namespace recommend
