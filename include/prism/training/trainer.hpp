// SPDX-License-Identifier: BSD-3-Clause
// One training step: a batch passes forward through backbone and loss, its gradient backward, and
// the optimizer updates the weights that it reaches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "prism/core/binary_file.hpp"
#include "prism/core/config.hpp"
#include "prism/core/denormals.hpp"
#include "prism/core/error.hpp"
#include "prism/core/index.hpp"
#include "prism/core/memory.hpp"
#include "prism/core/parallel.hpp"
#include "prism/core/random.hpp"
#include "prism/core/rows.hpp"
#include "prism/core/scratch.hpp"
#include "prism/data/interactions.hpp"
#include "prism/model/recommender.hpp"
#include "prism/ops/batch_on_host.hpp"
#include "prism/policy/batch.hpp"
#include "prism/policy/epoch_start.hpp"
#include "prism/policy/loss.hpp"
#include "prism/policy/sampler.hpp"
#include "prism/training/batch_builder.hpp"
#include "prism/training/contract_checks.hpp"
#include "prism/training/device_batch_builder.hpp"
#include "prism/training/gradient_pass.hpp"
#include "prism/training/model_optimizer.hpp"

namespace prism::inline PRISM_ISA {

/// Trains a model in steps. Holds the optimizer's state and the working memory; the model must
/// outlive it. If the loss has a begin_epoch, call the trainer's before the first step of each
/// epoch. Between a step and flush(), rows that the step did not reach may have the weights of an
/// earlier step.
template <class Model, Execution X = Host<>>
class Trainer {
  using Scalar = typename Model::scalar_type;
  static_assert(Model::template check_execution<X>(), "a policy does not run on this execution");

 public:
  /// @param model  for an execution on a device, in its memory: see working_model.hpp
  explicit Trainer(Model& model, const X& exec = {})
      : exec_(exec),
        model_(model),
        builder_(model.train(), memory_of(exec)),
        sampler_state_(model.options().sampler, model.train()),
        scratch_(memory_of(exec)),
        negatives_(memory_of(exec)),
        optimizer_(model, exec) {
    check_device();
  }

  /// @throws ArgumentError  if the calling thread's device is not the one whose memory has the
  /// model
  void check_device() const {
    if constexpr (DeviceExecution<X>) check_readable("model", model_.users().data());
  }

  /// The number of negatives per pair that the model's loss asks for.
  [[nodiscard]] std::size_t negatives_per_pair() const noexcept {
    return prism::loss_traits(model_.options().loss).negatives;
  }

  /// Calls the loss's begin_epoch, if it has one. Call it once before an epoch's first step.
  /// @param epoch  from 1
  void begin_epoch(std::size_t epoch) {
    if constexpr (detail::names_begin_epoch<typename Model::loss_type>) {
      const FlushDenormals flush_denormals;
      const EpochStart<Scalar, X> start{
          epoch, model_.train(),
          Random(model_.options().seed, Stream::epoch_start, static_cast<std::uint32_t>(epoch)),
          [this] {
            flush();
            return std::as_const(model_).output(exec_);
          },
          exec_};
      prism::begin_epoch(model_.options().loss, start, model_.weights().loss);
    }
  }

  /// Draws the negatives of a batch.
  /// @param pairs  for an execution on a device, in its memory
  /// @param first  how many pairs of the epoch come before this batch
  /// @return valid until the next call
  /// @throws ArgumentError  for no pairs, or more negatives than a batch can have; on the host, if
  ///     the sampler returns an item that the model does not have
  [[nodiscard]] BatchNegatives sample(std::span<const Interaction> pairs, const Random& random,
                                      std::size_t first) {
    require_at_least_one("pairs", pairs.size());
    const std::size_t n = negatives_per_pair();
    if (n == 0) return {};
    const SampleRequest request{pairs, n, model_.train(), random, first * n};
    const auto& sampler = model_.options().sampler;
    const auto shared = prism::shared_negatives(sampler, request);
    detail::check_negatives_per_pair(shared ? 1 : pairs.size(), shared ? shared->count : n);
    const std::size_t count = shared ? shared->count : pairs.size() * n;
    if (count > negatives_.size()) {
      synchronise(exec_);  // a device may still read those of the previous batch
      negatives_ = TableVector<Index>(count, memory_of(exec_));
    }
    const std::span<Index> negatives = std::span(negatives_).first(count);
    prism::draw_negatives(exec_, sampler, request, sampler_state_, negatives);
    if constexpr (!DeviceExecution<X>) {
      detail::check_sampled_items(negatives, model_.train().items());
    }
    return shared ? BatchNegatives(negatives, shared->mask) : BatchNegatives(negatives);
  }

  /// Whether all weights, the optimizer's state and the squared magnitude of every table row are
  /// finite. A row whose squared magnitude is not finite has no scores.
  [[nodiscard]] bool finite() {
    check_device();
    return optimizer_.finite();
  }

  /// Applies the deferred steps of all rows. Call it before the model is read, copied or ranked.
  void flush() {
    check_device();
    const FlushDenormals flush_denormals;
    optimizer_.flush();
    synchronise(exec_);
  }

  /// Steps since training began.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  /// Whether all weights belong to the same step: false after an exception has ended a step between
  /// two updates of the optimizer.
  [[nodiscard]] bool whole() const noexcept { return !updating_; }

  /// Writes the optimizer's state, including deferred steps, which are not applied; not the
  /// weights.
  /// @throws ArgumentError  if an exception has ended a step between two updates of the optimizer
  void save(BinaryWriter& out) const {
    check_whole("save");
    out.number(steps_);
    optimizer_.save(out);
  }
  /// Reads the optimizer's state back. The caller restores the weights.
  void load(BinaryReader& in) {
    steps_ = in.number<std::uint64_t>();
    optimizer_.load(in);
    updating_ = false;
  }

  /// Trains on one batch; returns its loss, without weight decay.
  /// @param pairs      at least one, of rows that the model has
  /// @param negatives  items of the model, pairs x negatives_per_pair(), row-major; or any number
  ///     of items that all pairs share. Both lists are in the memory of the execution's device, if
  ///     it has one
  /// @throws ArgumentError  if there are no pairs, the number of negatives is wrong, the loss does
  ///     not accept shared ones, or an exception has ended an earlier step between two updates of
  ///     the optimizer
  double step(std::span<const Interaction> pairs, const BatchNegatives& negatives,
              double learning_rate) {
    require_at_least_one("pairs", pairs.size());
    check_whole("step");
    detail::check_negatives(model_.options().loss, pairs.size(), negatives);
    if constexpr (DeviceExecution<X>) {
      check_readable("pairs", pairs.data());
      if (!negatives.items.empty()) check_readable("negatives", negatives.items.data());
    }
    const FlushDenormals flush_denormals;
    scratch_.reset();
    model_.set_trained();
    const auto& options = model_.options();
    auto& weights = model_.weights();
    const LossTraits loss_traits = prism::loss_traits(options.loss);
    // Once its batch has been built, a device has completed all pending work.
    Batch batch = builder_.build(exec_, pairs, negatives, loss_traits.needs_all_rows);
    if constexpr (detail::names_log_probability<typename Model::sampler_type>) {
      if (loss_traits.reads_log_probability) batch.item_log_probability = log_probability(batch);
    }
    optimizer_.apply_deferred(batch);
    const detail::ModelParts<Scalar, typename Model::backbone_type, typename Model::loss_type>
        parts{model_.tables(), options.backbone, weights.backbone, options.loss, weights.loss};
    const Random random(options.seed, Stream::dropout, static_cast<std::uint32_t>(steps_));
    const auto pass = detail::loss_pass(exec_, parts, batch, random, scratch_, gradients_,
                                        [](Rows<Scalar>, std::size_t) {});
    const TableGradients<Scalar> tables = pass.backward(parts);

    updating_ = true;
    optimizer_.update(tables, gradients_, batch, {learning_rate, steps_ + 1});
    synchronise(exec_);  // another thread may take the next step, whose work a device may run first
    ++steps_;
    updating_ = false;
    return pass.loss;
  }

 private:
  void check_readable(const char* argument, const void* data) const {
    require(can_read(exec_, data), argument,
            "must be in memory that the device can read, such as a TableVector in "
            "memory_of(exec)");
  }

  /// Of the batch's items, in the execution's memory; valid until the step ends.
  [[nodiscard]] std::span<const double> log_probability(const Batch& batch) {
    log_probability_.clear();
    const BatchOnHost<X> on_host(exec_, batch);
    model_.options().sampler.log_probability(sampler_state_, on_host.batch(), log_probability_);
    detail::check_log_probability(log_probability_, batch);
    if constexpr (DeviceExecution<X>) {
      const auto to = scratch_.template allocate<double>(log_probability_.size(), 1);
      const std::span<double> copy(to.data(), log_probability_.size());
      copy_across(device_memory(memory_of(exec_)), std::span<const double>(log_probability_), copy);
      return copy;
    } else {
      return log_probability_;
    }
  }

  void check_whole(const char* function) const {
    require(!updating_, function,
            "must not be called after an exception has ended a step between two updates: the "
            "weights are neither those before the step nor those after it; resume from a "
            "checkpoint");
  }

  [[no_unique_address]] X exec_;
  Model& model_;
  detail::batch_builder_t<X> builder_;
  sampler_state_t<typename Model::sampler_type> sampler_state_;
  Scratch scratch_;
  TableVector<Index> negatives_;
  std::vector<double> log_probability_;  // of the batch's items
  std::vector<Rows<Scalar>> gradients_;  // of the parameters, the backbone's first
  detail::ModelOptimizer<Model, X> optimizer_;
  std::uint64_t steps_ = 0;
  bool updating_ = false;  // the optimizer has begun a step and not ended it
};

}  // namespace prism::inline PRISM_ISA
