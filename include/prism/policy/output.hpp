// SPDX-License-Identifier: BSD-3-Clause
// The output rows of all users and items, and the rule that computes a score from two of them.
#pragma once

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/rows.hpp"
#include "prism/policy/batch.hpp"

namespace prism::inline PRISM_ISA {

/// The output rows of all users and items: a view of the model's tables, or rows that it owns. A
/// view is valid until the model is changed or destroyed.
template <class T>
class Output {
 public:
  /*implicit*/ Output(Embeddings<const T> tables) : view_(tables) {}
  /// Owns the rows; copies share them.
  /// @param users, items  matrices, users x dim and items x dim; rows(matrix) is a view of each
  template <class Table>
  Output(Table users, Table items) {
    const auto owned =
        std::make_shared<const std::pair<Table, Table>>(std::move(users), std::move(items));
    view_ = {rows(owned->first), rows(owned->second)};
    owned_ = owned;
  }

  /// Rows that `owner` keeps alive.
  Output(Embeddings<const T> rows, std::shared_ptr<const void> owner)
      : view_(rows), owned_(std::move(owner)) {}

  /// users x dim
  [[nodiscard]] Rows<const T> users() const& noexcept { return view_.users; }
  /// items x dim
  [[nodiscard]] Rows<const T> items() const& noexcept { return view_.items; }
  Rows<const T> users() const&& { return rows_of_temporary(); }
  Rows<const T> items() const&& { return rows_of_temporary(); }

  /// Keeps the rows alive; null for a view.
  [[nodiscard]] const std::shared_ptr<const void>& owner() const noexcept { return owned_; }

 private:
  template <class Number = T>
  Rows<const T> rows_of_temporary() const {
    static_assert(!std::same_as<Number, T>,
                  "rows of a temporary Output would dangle: name it first, as in "
                  "`const auto output = model.output(); output.items()`");
    return {};
  }

  Embeddings<const T> view_{};
  std::shared_ptr<const void> owned_;
};

/// Scores every user with every item:
///   score(u, i) = user_factor[u] * item_factor[i] * (s(u, i) - offset),
/// where s is the similarity of their output rows. Losses without a ranking rule set neither
/// factors nor offset: the score is s.
template <class T>
struct Scorer {
  Output<T> output;
  std::vector<T> user_factor{};  ///< users, or empty: factors of 1
  std::vector<T> item_factor{};  ///< items, or empty: factors of 1
  T offset = 0;

  [[nodiscard]] T factor_of_user(std::size_t user) const noexcept {
    return user_factor.empty() ? T{1} : user_factor[user];
  }
  [[nodiscard]] T factor_of_item(std::size_t item) const noexcept {
    return item_factor.empty() ? T{1} : item_factor[item];
  }
};

}  // namespace prism::inline PRISM_ISA
