// SPDX-License-Identifier: BSD-3-Clause
// A query's best items among those that a filter allows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "prism/core/config.hpp"
#include "prism/core/index.hpp"
#include "prism/kernel/scored_item.hpp"
#include "prism/kernel/top_k.hpp"

namespace prism::inline PRISM_ISA::detail {

/// A type-erased filter. It is called only for items whose score would enter a list, so the
/// indirect call has no measurable cost.
class FilterView {
 public:
  /// Allows all items.
  FilterView() = default;
  /// @param filter  bool(Index), must outlive this
  template <class Filter>
  explicit FilterView(const Filter& filter) noexcept
      : filter_(std::addressof(filter)), allows_([](const void* erased, Index item) -> bool {
          return (*static_cast<const Filter*>(erased))(item);
        }) {}

  [[nodiscard]] bool allows_all() const noexcept { return allows_ == nullptr; }
  /// Only if not allows_all().
  bool operator()(Index item) const { return allows_(filter_, item); }

 private:
  const void* filter_ = nullptr;
  bool (*allows_)(const void*, Index) = nullptr;
};

template <class T>
class SelectedList {
 public:
  SelectedList(std::size_t k, T floor, FilterView filter) : best_(k, floor), filter_(filter) {}

  [[nodiscard]] std::span<const ScoredItem<T>> best() const noexcept { return best_.best(); }
  [[nodiscard]] T threshold() const noexcept { return best_.threshold(); }
  /// The number of scores offered.
  [[nodiscard]] std::size_t scored() const noexcept { return scored_; }

  [[nodiscard]] bool allows(Index item) {
    if (filter_.allows_all()) return true;
    const bool allowed = filter_(item);
    ++asked_;
    refused_ += allowed ? 0 : 1;
    return allowed;
  }
  /// Whether the filter refuses so many items that calling it before scoring each of them takes
  /// less time than calling it after scoring for those that would enter.
  [[nodiscard]] bool is_selective() const noexcept { return refused_ > asked_ - asked_ / 4; }

  /// Offers n scores, the j-th of item_of(j).
  template <class Isa, class ItemOf>
  void offer_all(const T* scores, std::size_t n, const ItemOf& item_of) {
    scored_ += n;
    best_.template for_each_candidate<Isa>(scores, n,
                                           [&](std::size_t j) { enter(item_of(j), scores[j]); });
  }

 private:
  void enter(Index item, T score) {
    if (score > best_.below_threshold() && allows(item)) best_.push(item, score);
  }

  TopK<T> best_;
  FilterView filter_;
  std::size_t scored_ = 0;
  std::size_t asked_ = 0, refused_ = 0;
};

}  // namespace prism::inline PRISM_ISA::detail
