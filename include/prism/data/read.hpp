// SPDX-License-Identifier: BSD-3-Clause
// Reads interactions from files: MovieLens, CSV, TSV, LightGCN's adjacency lists, RecBole,
// MatrixMarket, edge lists of SNAP and KONECT; plain or gzip files, or a pipe.
#pragma once

#include <filesystem>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/data/format.hpp"
#include "prism/data/interactions.hpp"
#include "prism/data/read_summary.hpp"
#include "prism/data/zlib.hpp"

namespace prism::inline PRISM_ISA {

/// Two parts of one data set, with the same users, items and ids.
struct TrainTest {
  Interactions train;
  Interactions test;
};

inline namespace PRISM_ZLIB {

/// Reads files that are parts of one data set; the results share users, items and ids.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] PRISM_INLINE std::vector<Interactions> read_parts(
    const std::vector<std::filesystem::path>& paths, const ReadOptions& options = {});

/// Reads interactions from a plain or gzip file, or a pipe. Users and items are numbered in order
/// of first appearance, after min_rating is applied; a user of an adjacency list counts even
/// without items. A repeated interaction counts once, at its earliest time. The result's
/// read_summary() says what was found and how it was interpreted. Chunks of the file are parsed in
/// parallel; neither the result nor the line of an error depends on the number of threads.
/// @throws DataError      if the file cannot be read, its format is ambiguous, a line does not
///                        match it, or there are no interactions; the message names the file and
///                        the line
/// @throws ArgumentError  for incompatible options
[[nodiscard]] PRISM_INLINE Interactions read_interactions(const std::filesystem::path& path,
                                                          const ReadOptions& options = {});

/// Reads a data set published in two files. Test interactions whose user or item is not in the
/// training set are kept, and counted in the test set's read_summary().
/// @throws DataError, ArgumentError  as read_interactions; DataError also if no test interaction
///     has both a user and an item of the training set
[[nodiscard]] PRISM_INLINE TrainTest read_train_test(const std::filesystem::path& train,
                                                     const std::filesystem::path& test,
                                                     const ReadOptions& options = {});

/// Reads a data set published in one file, in which a column marks the test set.
/// @throws DataError, ArgumentError  as read_interactions
[[nodiscard]] PRISM_INLINE TrainTest read_train_test(const std::filesystem::path& path,
                                                     const TestColumn& column,
                                                     const ReadOptions& options = {});

}  // namespace PRISM_ZLIB

}  // namespace prism::inline PRISM_ISA

#ifndef PRISM_COMPILED
#include "prism/data/read.inl.hpp"
#endif
