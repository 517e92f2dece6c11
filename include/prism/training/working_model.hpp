// SPDX-License-Identifier: BSD-3-Clause
// The model that a training session steps: the caller's, or a copy in a device's memory.
#pragma once

#include <optional>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"

namespace prism::inline PRISM_ISA::detail {

/// On the host the caller's model itself; on a device a copy in memory that it shares with the
/// host, which becomes the caller's when it is published.
template <class Model, Execution X>
class WorkingModel {
 public:
  /// @param model  has to outlive the object
  WorkingModel(const X& exec, Model& model) : exec_(exec), model_(model) {
    if constexpr (DeviceExecution<X>) copy_.emplace(host_of(exec), model, memory_of(exec));
  }
  WorkingModel(const WorkingModel&) = delete;
  WorkingModel& operator=(const WorkingModel&) = delete;

  [[nodiscard]] Model& get() noexcept {
    if constexpr (DeviceExecution<X>) {
      return *copy_;
    } else {
      return model_;
    }
  }

  /// The caller's model gets the weights.
  void publish() {
    if constexpr (DeviceExecution<X>) {
      synchronise(exec_);
      model_.copy_weights_from(*copy_);
    }
  }

 private:
  struct Nothing {};

  [[no_unique_address]] X exec_;
  Model& model_;
  [[no_unique_address]] std::conditional_t<DeviceExecution<X>, std::optional<Model>, Nothing> copy_;
};

}  // namespace prism::inline PRISM_ISA::detail
