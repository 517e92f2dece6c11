// SPDX-License-Identifier: BSD-3-Clause
// The forward and backward pass of one batch, under the tests' names.
#pragma once

#include <prism/prism.hpp>
#include <prism/testing/batch_evaluation.hpp>

namespace test {

template <class T>
using Gradients = prism::BatchGradients<T>;
template <class T, class Backbone, class Loss, class X = prism::Host<>>
using Evaluation = prism::BatchEvaluation<T, Backbone, Loss, X>;

}  // namespace test
