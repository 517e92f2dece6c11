// SPDX-License-Identifier: BSD-3-Clause
// Reads interactions from files: MovieLens, CSV, TSV, LightGCN's adjacency lists, RecBole,
// MatrixMarket, edge lists of SNAP and KONECT; plain or gzip files, or a pipe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/core/error.hpp"
#include "prism/data/excerpt.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/parts_reader.hpp"
#include "prism/data/read_summary.hpp"
#include "prism/data/split_parts.hpp"

namespace prism::inline PRISM_ISA {

/// Two parts of one data set, with the same users, items and ids.
struct TrainTest {
  Interactions train;
  Interactions test;
};

inline namespace PRISM_ZLIB {

/// Reads files that are parts of one data set; the results share users, items and ids.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] inline std::vector<Interactions> read_parts(
    const std::vector<std::filesystem::path>& paths, const ReadOptions& options = {}) {
  detail::PartsReader reader(options);
  std::vector<detail::Part> parts(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) reader.read(paths[k], parts[k]);
  std::vector<Interactions> result;
  for (detail::Part& part : parts) result.push_back(reader.to_interactions(std::move(part)));
  return result;
}

/// Reads interactions from a plain or gzip file, or a pipe. Users and items are numbered in order
/// of first appearance, after min_rating is applied; a user of an adjacency list counts even
/// without items. A repeated interaction counts once, at its earliest time. The result's
/// read_summary() says what was found and how it was interpreted. Chunks of the file are parsed in
/// parallel; neither the result nor the line of an error depends on the number of threads.
/// @throws DataError      if the file cannot be read, its format is ambiguous, a line does not
///                        match it, or there are no interactions; the message names the file and
///                        the line
/// @throws ArgumentError  for incompatible options
[[nodiscard]] inline Interactions read_interactions(const std::filesystem::path& path,
                                                    const ReadOptions& options = {}) {
  return std::move(read_parts({path}, options).front());
}

/// Reads a data set published in two files. Test interactions whose user or item is not in the
/// training set are kept, and counted in the test set's read_summary().
/// @throws DataError, ArgumentError  as read_interactions; DataError also if no test interaction
///     has both a user and an item of the training set
[[nodiscard]] inline TrainTest read_train_test(const std::filesystem::path& train,
                                               const std::filesystem::path& test,
                                               const ReadOptions& options = {}) {
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

/// Reads a data set published in one file, in which a column marks the test set.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] inline TrainTest read_train_test(const std::filesystem::path& path,
                                               const TestColumn& column,
                                               const ReadOptions& options = {}) {
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
