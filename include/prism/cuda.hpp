// SPDX-License-Identifier: BSD-3-Clause
// Training on a CUDA device: fit(cuda::device(), model, split). A file that includes it must be
// compiled as CUDA and linked with prism::cuda.
#pragma once

#include "prism/cuda/error.hpp"
#include "prism/cuda/memory.hpp"
#include "prism/execution/cuda_device.hpp"
#include "prism/prism.hpp"
