// SPDX-License-Identifier: BSD-3-Clause
// The model that a training session trains: the caller's, or a copy in a device's memory.
#pragma once

#include <optional>

#include "prism/core/config.hpp"
#include "prism/core/execution.hpp"
#include "prism/core/parallel.hpp"

namespace prism::inline PRISM_ISA::detail {

/// On the host, the caller's model itself; on a device, a copy in its memory, whose weights
/// publish() copies to the caller's model.
template <class Model, Execution X>
class WorkingModel {
 public:
  /// @param model  must outlive the object
  WorkingModel(const X& exec, Model& model) : model_(model) {
    if constexpr (DeviceExecution<X>) copy_.emplace(model, memory_of(exec));
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

  /// The caller's model.
  [[nodiscard]] Model& published() noexcept { return model_; }
  [[nodiscard]] const Model& published() const noexcept { return model_; }

  /// Copies the weights to the caller's model.
  void publish() {
    if constexpr (DeviceExecution<X>) {
      model_.copy_weights_from(*copy_);
    }
  }

 private:
  struct Nothing {};

  Model& model_;
  [[no_unique_address]] std::conditional_t<DeviceExecution<X>, std::optional<Model>, Nothing> copy_;
};

}  // namespace prism::inline PRISM_ISA::detail
