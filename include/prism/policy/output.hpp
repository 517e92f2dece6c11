// SPDX-License-Identifier: BSD-3-Clause
// What a model compares users and items by: the output rows of all of them, and the rule that turns
// two rows into a score.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// The output row of every user and item: a view of the tables, or rows of its own. A view is valid
/// until the model is changed or goes away.
template <class T>
class Output {
 public:
  /*implicit*/ Output(Embeddings<const T> tables) : view_(tables) {}
  /// Rows of its own, which copies share.
  /// @param users, items  tables, of which rows(table) is a view
  template <class Table>
  Output(Table users, Table items) {
    const auto owned =
        std::make_shared<const std::pair<Table, Table>>(std::move(users), std::move(items));
    view_ = {rows(owned->first), rows(owned->second)};
    owned_ = owned;
  }

  /// users x dim
  [[nodiscard]] Rows<const T> users() const& noexcept { return view_.users; }
  /// items x dim
  [[nodiscard]] Rows<const T> items() const& noexcept { return view_.items; }
  // Rows of an Output that is about to go would point nowhere.
  Rows<const T> users() const&& = delete;
  Rows<const T> items() const&& = delete;

 private:
  Embeddings<const T> view_{};
  std::shared_ptr<const void> owned_;
};

/// Scores every user with every item:
///   score(u, i) = user_factor[u] * item_factor[i] * (s(u, i) - offset),
/// where s is the similarity of their output rows. Without factors (nearly every loss) the score is
/// s itself.
template <class T>
struct Scorer {
  Output<T> output;
  std::vector<T> user_factor{};  ///< one a user, or none at all
  std::vector<T> item_factor{};  ///< one an item, or none at all
  T offset = 0;

  [[nodiscard]] T factor_of_user(std::size_t user) const noexcept {
    return user_factor.empty() ? T{1} : user_factor[user];
  }
  [[nodiscard]] T factor_of_item(std::size_t item) const noexcept {
    return item_factor.empty() ? T{1} : item_factor[item];
  }
};

}  // namespace prism::inline PRISM_ISA
