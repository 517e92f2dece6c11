// SPDX-License-Identifier: BSD-3-Clause
// Functions that read.hpp declares; it includes them unless PRISM_COMPILED is defined.
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/parts_reader.hpp"
#include "prism/data/read.hpp"
#include "prism/data/split_parts.hpp"

namespace prism::inline PRISM_ISA {
inline namespace PRISM_ZLIB {

PRISM_INLINE std::vector<Interactions> read_parts(const std::vector<std::filesystem::path>& paths,
                                                  const ReadOptions& options) {
  detail::PartsReader reader(options);
  std::vector<detail::Part> parts(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) reader.read(paths[k], parts[k]);
  std::vector<Interactions> result;
  for (detail::Part& part : parts) result.push_back(reader.to_interactions(std::move(part)));
  return result;
}

PRISM_INLINE Interactions read_interactions(const std::filesystem::path& path,
                                            const ReadOptions& options) {
  return std::move(read_parts({path}, options).front());
}

PRISM_INLINE TrainTest read_train_test(const std::filesystem::path& train,
                                       const std::filesystem::path& test,
                                       const ReadOptions& options) {
  std::vector<Interactions> parts = read_parts({train, test}, options);
  TrainTest result{.train = std::move(parts[0]), .test = std::move(parts[1])};
  const std::size_t unknown = count_not_in_training(result.train, result.test);
  if (unknown == result.test.size()) {
    const Interaction own = result.train[0], other = result.test[0];
    throw DataError(
        test.string(), 0,
        "has no interaction whose user and item are both in " + train.string() +
            ": its ids are such as " + detail::excerpt(result.test.user_id(other.user)) + " and " +
            detail::excerpt(result.test.item_id(other.item)) +
            ", those of the other file such as " + detail::excerpt(result.train.user_id(own.user)) +
            " and " + detail::excerpt(result.train.item_id(own.item)));
  }
  return {.train = std::move(result.train),
          .test = detail::with_new_counted(std::move(result.test), unknown)};
}

PRISM_INLINE TrainTest read_train_test(const std::filesystem::path& path, const TestColumn& column,
                                       const ReadOptions& options) {
  detail::PartsReader reader(options);
  detail::Part train, test;
  reader.read(path, train, &column, &test);
  TrainTest result{.train = reader.to_interactions(std::move(train)),
                   .test = reader.to_interactions(std::move(test))};
  const std::size_t unknown = count_not_in_training(result.train, result.test);
  result.test = detail::with_new_counted(std::move(result.test), unknown);
  return result;
}

}  // namespace PRISM_ZLIB
}  // namespace prism::inline PRISM_ISA
