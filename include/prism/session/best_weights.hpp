// SPDX-License-Identifier: BSD-3-Clause
// Where the best epoch's weights are while training goes on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/policy/parameter.hpp"
#include "prism/session/fit_options.hpp"

namespace prism::inline PRISM_ISA::detail {

inline constexpr std::size_t weights_chunk = std::size_t{1} << 16;  // numbers

/// Calls visit(span) for consecutive pieces of all that training changes, in a fixed order.
template <class Weights, class Visit>
void for_each_chunk(Weights& weights, const Visit& visit) {
  const auto chunks = [&](auto* data, std::size_t size) {
    for (std::size_t at = 0; at < size; at += weights_chunk) {
      visit(std::span(data + at, std::min(weights_chunk, size - at)));
    }
  };
  chunks(weights.users.data(), weights.users.size());
  chunks(weights.items.data(), weights.items.size());
  const auto of_parameter = [&](const auto& parameter) {
    chunks(parameter.rows.data(), parameter.rows.elements());
  };
  weights.backbone.for_each_parameter(of_parameter);
  weights.loss.for_each_parameter(of_parameter);
}

template <class Weights>
void write_weights(BinaryWriter& out, Weights& weights) {
  for_each_chunk(weights,
                 [&]<class T>(std::span<T> chunk) { out.numbers(std::span<const T>(chunk)); });
}
template <class Weights>
void read_weights(BinaryReader& in, Weights& weights) {
  for_each_chunk(weights, [&](auto chunk) { in.numbers(chunk); });
}

/// Keeps one set of weights, where FitOptions::best_weights says.
template <class Weights>
class WeightsStore {
  static constexpr FileKind file_kind{"PRISMWTS", 1, "file of weights"};

 public:
  explicit WeightsStore(const FitOptions& options)
      : where_(options.best_weights), path_(options.best_weights_path) {}

  WeightsStore(const WeightsStore&) = delete;
  WeightsStore& operator=(const WeightsStore&) = delete;

  /// Whether it keeps any.
  [[nodiscard]] bool keeps() const noexcept { return where_ != BestWeights::last; }

  /// Takes a copy.
  void keep(Weights& weights) {
    if (where_ == BestWeights::in_memory) {
      // Assigned to, the copy stays in the memory that it has.
      if (weights_) {
        *weights_ = weights;
      } else {
        weights_.emplace(weights);
      }
    }
    if (where_ == BestWeights::on_disk) write(weights).publish();
  }

  /// Swaps those that are kept with these.
  void exchange(Weights& weights) {
    if (where_ == BestWeights::in_memory) std::swap(*weights_, weights);
    if (where_ == BestWeights::on_disk) {
      BinaryWriter before = write(weights);
      restore(weights);
      before.publish();
    }
  }

  /// Overwrites these with those that are kept.
  void restore(Weights& weights) {
    if (where_ == BestWeights::in_memory) weights = *weights_;
    if (where_ == BestWeights::on_disk) {
      BinaryReader in = read();
      read_weights(in, weights);
      in.finish();
    }
  }

  /// Writes those that are kept into another file. @param weights  any of the same shapes
  void save(BinaryWriter& out, Weights& weights) {
    if (where_ == BestWeights::in_memory) write_weights(out, *weights_);
    if (where_ == BestWeights::on_disk) {
      BinaryReader in = read();
      copy(in, weights, [&](auto chunk) { out.numbers(chunk); });
    }
  }
  /// Reads them back. @param weights  any of the same shapes
  void load(BinaryReader& in, Weights& weights) {
    if (where_ == BestWeights::in_memory) {
      weights_.emplace(weights);
      read_weights(in, *weights_);
    } else if (where_ == BestWeights::on_disk) {
      BinaryWriter out = begin_file();
      copy(in, weights, [&](auto chunk) { out.numbers(chunk); });
      out.publish();
    } else {
      copy(in, weights, [](auto) {});
    }
  }

 private:
  BinaryWriter write(Weights& weights) {
    BinaryWriter out = begin_file();
    write_weights(out, weights);
    return out;
  }
  BinaryWriter begin_file() {
    BinaryWriter out(path_, file_kind);
    out.number(owner_);
    return out;
  }
  /// @throws DataError  where another run has written the file since
  BinaryReader read() {
    BinaryReader in(path_, file_kind);
    if (in.template number<std::uint64_t>() != owner_) {
      in.fail("has the weights of another run, which was given the same best_weights_path");
    }
    return in;
  }
  /// A number for each store of each process.
  static std::uint64_t next_owner() {
    static std::atomic<std::uint64_t> stores{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return static_cast<std::uint64_t>(ticks) * 1024 + stores++ % 1024;
  }

  /// Hands weights on piece by piece as they are read.
  template <class Visit>
  static void copy(BinaryReader& in, Weights& weights, const Visit& visit) {
    for_each_chunk(weights, [&]<class T>(std::span<T> like) {
      std::vector<T> chunk(like.size());
      in.numbers(std::span(chunk));
      visit(std::span<const T>(chunk));
    });
  }

  BestWeights where_;
  std::filesystem::path path_;
  std::optional<Weights> weights_;
  std::uint64_t owner_ = next_owner();  // which store a file belongs to
};

}  // namespace prism::inline PRISM_ISA::detail
