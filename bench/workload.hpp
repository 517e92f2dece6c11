// SPDX-License-Identifier: BSD-3-Clause
// Synthetic workloads of real sizes: times depend on sizes and popularity, not on preferences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory_resource>
#include <prism/prism.hpp>
#include <vector>

namespace bench {

/// Gowalla's size, 10-core.
inline constexpr prism::Index gowalla_users = 29858, gowalla_items = 40981;
inline constexpr std::size_t gowalla_interactions = 1027370;

/// Pairs whose items have a realistic long-tailed popularity: the first tenth of the items are in
/// half of the pairs. Repeated pairs are removed.
inline prism::Interactions interactions_of(prism::Index users, prism::Index items,
                                           std::size_t count, std::uint64_t seed = 2) {
  const prism::Random random(seed, prism::Stream::synthetic);
  const double exponent = std::log(0.1) / std::log(0.5);
  std::vector<prism::Interaction> pairs(count);
  for (std::size_t p = 0; p < count; ++p) {
    const double place = std::pow(random.uniform(2 * p + 1), exponent);
    pairs[p] = {random.uniform_int(2 * p, users),
                std::min(items - 1, static_cast<prism::Index>(place * items))};
  }
  return prism::Interactions(users, items, pairs);
}

inline const prism::Interactions& gowalla_sized() {
  static const prism::Interactions all =
      interactions_of(gowalla_users, gowalla_items, gowalla_interactions);
  return all;
}

/// Rows of normally distributed numbers.
template <class T = float>
prism::Matrix<T> random_rows(std::size_t size, std::size_t dim, std::uint64_t seed = 1) {
  prism::Matrix<T> table = prism::zeros<T>(size, dim);
  const prism::Random random(seed, prism::Stream::synthetic);
  prism::parallel_chunks(prism::par, size, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * dim; i < end * dim; ++i) {
      table.data()[i] = static_cast<T>(prism::standard_normal(random, i));
    }
  });
  return table;
}

template <class T = float>
prism::Matrix<T> random_unit_rows(std::size_t size, std::size_t dim) {
  prism::Matrix<T> table = random_rows<T>(size, dim);
  for (std::size_t r = 0; r < size; ++r) {
    prism::normalise(prism::rows(table)[r], prism::rows(table)[r], dim);
  }
  return table;
}

/// The batches of an epoch, over and over.
template <class Model>
class EpochBatches {
 public:
  /// @param memory  of the pairs; null for table_memory()
  EpochBatches(const Model& model, std::size_t batch_size,
               std::pmr::memory_resource* memory = nullptr)
      : order_(shuffled(model.train().on_host()), memory), batch_size_(batch_size) {}

  [[nodiscard]] std::span<const prism::Interaction> next() {
    if (next_ + batch_size_ > order_.size()) next_ = 0;
    next_ += batch_size_;
    ++drawn_;
    return std::span(order_).subspan(next_ - batch_size_, batch_size_);
  }
  /// The number of pairs before the last batch.
  [[nodiscard]] std::size_t before() const { return (drawn_ - 1) * batch_size_; }

 private:
  static prism::TableVector<prism::Interaction> shuffled(const prism::Interactions& all) {
    prism::TableVector<prism::Interaction> order(all.size());
    for (std::size_t p = 0; p < order.size(); ++p) order[p] = all[p];
    prism::shuffle(prism::par, std::span(order), prism::Random(1, prism::Stream::shuffle));
    return order;
  }

  prism::TableVector<prism::Interaction> order_;
  std::size_t batch_size_;
  std::size_t next_ = 0;
  std::size_t drawn_ = 0;
};

/// One step on the next batch.
template <class Model, class X>
double take_step(prism::Trainer<Model, X>& trainer, EpochBatches<Model>& batches) {
  const auto pairs = batches.next();
  const prism::Random random(3, prism::Stream::negatives);
  return trainer.step(pairs, trainer.sample(pairs, random, batches.before()), 1e-3);
}

}  // namespace bench
