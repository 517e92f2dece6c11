// SPDX-License-Identifier: BSD-3-Clause
// Where the best epoch's weights are kept while training continues.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/binary_tables.hpp"
#include "prism/core/config.hpp"
#include "prism/core/matrix.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/rows.hpp"
#include "prism/training/fit_options.hpp"

namespace prism::inline PRISM_ISA::detail {

/// Everything that training changes, as consecutive numbers: tables, then the parameters of
/// backbone and loss.
template <class T>
struct WeightSpans {
  DeviceMemory* device;  // whose memory holds all parts; null: the host's
  std::vector<std::span<T>> parts;
};

template <class Weights>
[[nodiscard]] auto weight_spans(Weights& weights) {
  using Scalar = std::remove_reference_t<decltype(*weights.users.data())>;
  WeightSpans<Scalar> spans{device_memory(memory_of(weights.users)), {}};
  weights.for_each_matrix(
      [&](Rows<Scalar> matrix) { spans.parts.emplace_back(matrix.data(), matrix.num_elements()); });
  return spans;
}

template <class T>
void write_weights(BinaryWriter& out, const WeightSpans<T>& weights) {
  for (const std::span<T> part : weights.parts) {
    write_numbers(out, weights.device, std::span<const T>(part));
  }
}
template <class T>
void read_weights(BinaryReader& in, const WeightSpans<T>& weights) {
  for (const std::span<T> part : weights.parts) read_numbers(in, weights.device, part);
}

/// A copy of weights.
template <class T>
class WeightsCopy {
 public:
  /// Uninitialised weights of the same sizes.
  WeightsCopy(const WeightSpans<T>& like, std::pmr::memory_resource* memory)
      : device_(device_memory(memory)) {
    for (const std::span<T> part : like.parts) parts_.emplace_back(part.size(), memory);
  }
  [[nodiscard]] WeightSpans<T> spans() { return {device_, {parts_.begin(), parts_.end()}}; }

 private:
  DeviceMemory* device_;
  std::vector<TableVector<T>> parts_;
};

template <class T>
void copy_weights(const WeightSpans<T>& from, const WeightSpans<T>& to) {
  DeviceMemory* const device = from.device != nullptr ? from.device : to.device;
  for (std::size_t k = 0; k < from.parts.size(); ++k) {
    copy_across(device, std::span<const T>(from.parts[k]), to.parts[k]);
  }
}

/// Swaps numbers that are all in one memory. @param device  whose; null: the host's
template <class T>
void swap_across(DeviceMemory* device, std::span<T> a, std::span<T> b) {
  if (device == nullptr) {
    std::ranges::swap_ranges(a, b);
    return;
  }
  std::size_t at = 0;
  std::vector<T> a_chunk, b_chunk;
  for_each_chunk(a, [&](std::span<T> chunk) {
    const std::span<T> other = b.subspan(at, chunk.size());
    at += chunk.size();
    a_chunk.resize(chunk.size());
    b_chunk.resize(chunk.size());
    copy_across(device, std::span<const T>(chunk), std::span(a_chunk));
    copy_across(device, std::span<const T>(other), std::span(b_chunk));
    copy_across(device, std::span<const T>(b_chunk), chunk);
    copy_across(device, std::span<const T>(a_chunk), other);
  });
}

/// Copies numbers on the execution whose memory they are in, such as a device.
template <class T>
using CopyNumbers = std::function<void(std::span<const T> from, std::span<T> to)>;

/// Keeps one set of weights, in the place that FitOptions::best_weights names.
template <class T>
class WeightsStore {
  static constexpr FileKind file_kind{"PRISMWTS", 1, "weights file"};

 public:
  /// @param memory  for the copy
  /// @param copy    copies numbers between spans of the same size
  WeightsStore(const FitOptions& options, std::pmr::memory_resource* memory, CopyNumbers<T> copy)
      : where_(options.best_weights),
        path_(options.best_weights_path),
        memory_(memory),
        copy_numbers_(std::move(copy)) {}

  WeightsStore(const WeightsStore&) = delete;
  WeightsStore& operator=(const WeightsStore&) = delete;

  /// Whether it keeps weights.
  [[nodiscard]] bool keeps() const noexcept { return where_ != BestWeights::last; }

  /// Keeps a copy of these weights.
  void keep(const WeightSpans<T>& weights) {
    if (where_ == BestWeights::in_memory) {
      if (!copy_) copy_.emplace(weights, memory_);
      const WeightSpans<T> own = copy_->spans();
      for (std::size_t k = 0; k < own.parts.size(); ++k) {
        copy_numbers_(weights.parts[k], own.parts[k]);
      }
    }
    if (where_ == BestWeights::on_disk) write(weights).publish();
  }

  /// Swaps the kept weights with these.
  void exchange(const WeightSpans<T>& weights) {
    if (where_ == BestWeights::in_memory) {
      const WeightSpans<T> own = copy_->spans();
      for (std::size_t k = 0; k < own.parts.size(); ++k) {
        swap_across(weights.device, own.parts[k], weights.parts[k]);
      }
    }
    if (where_ == BestWeights::on_disk) {
      BinaryWriter before = write(weights);
      before.flush();  // a disk that is full must not lose these weights
      restore(weights);
      before.rename();
    }
  }

  /// Overwrites these with the kept weights.
  void restore(const WeightSpans<T>& weights) {
    if (where_ == BestWeights::in_memory) copy_weights(copy_->spans(), weights);
    if (where_ == BestWeights::on_disk) {
      BinaryReader in = read();
      read_weights(in, weights);
      in.finish();
    }
  }

  /// Writes the kept weights to another file. @param weights  any of the same sizes
  void save(BinaryWriter& out, const WeightSpans<T>& weights) {
    if (where_ == BestWeights::in_memory) write_weights(out, copy_->spans());
    if (where_ == BestWeights::on_disk) {
      BinaryReader in = read();
      copy_chunks(in, weights, [&](std::span<const T> chunk) { out.numbers(chunk); });
    }
  }
  /// Reads the kept weights from a file that save() has written. @param weights  any of the same
  /// sizes
  void load(BinaryReader& in, const WeightSpans<T>& weights) {
    if (where_ == BestWeights::in_memory) {
      copy_.emplace(weights, memory_);
      read_weights(in, copy_->spans());
    } else if (where_ == BestWeights::on_disk) {
      BinaryWriter out = begin_file();
      copy_chunks(in, weights, [&](std::span<const T> chunk) { out.numbers(chunk); });
      out.publish();
    } else {
      copy_chunks(in, weights, [](std::span<const T>) {});
    }
  }

 private:
  BinaryWriter write(const WeightSpans<T>& weights) {
    BinaryWriter out = begin_file();
    write_weights(out, weights);
    return out;
  }
  BinaryWriter begin_file() {
    BinaryWriter out(path_, file_kind);
    out.number(owner_);
    return out;
  }
  /// @throws DataError  if another run has written the file since
  BinaryReader read() {
    BinaryReader in(path_, file_kind);
    if (in.number<std::uint64_t>() != owner_) {
      in.fail("was overwritten by another run with the same best_weights_path");
    }
    return in;
  }
  /// A number unique to each store of each process.
  static std::uint64_t next_owner() {
    static std::atomic<std::uint64_t> stores{0};
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    return static_cast<std::uint64_t>(ticks) * 1024 + stores++ % 1024;
  }

  /// Passes weights to `visit` chunk by chunk as they are read.
  template <class Visit>
  static void copy_chunks(BinaryReader& in, const WeightSpans<T>& like, const Visit& visit) {
    std::vector<T> chunk;
    for (const std::span<T> part : like.parts) {
      for_each_chunk(part, [&](std::span<T> like_chunk) {
        chunk.resize(like_chunk.size());
        in.numbers(std::span(chunk));
        visit(chunk);
      });
    }
  }

  BestWeights where_;
  std::filesystem::path path_;
  std::pmr::memory_resource* memory_;  // the weights' own, or both are the host's
  CopyNumbers<T> copy_numbers_;
  std::optional<WeightsCopy<T>> copy_;
  std::uint64_t owner_ = next_owner();  // which store a file belongs to
};

}  // namespace prism::inline PRISM_ISA::detail
