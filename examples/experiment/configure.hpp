// SPDX-License-Identifier: BSD-3-Clause
// The options of policies, as set on the command line.
#pragma once

#include <prism/prism.hpp>

#include "settings.hpp"

namespace experiment {

// Sets the policy's options to those of the command line; most policies have none.
template <class Policy>
void configure(Policy&, const Settings&) {}
inline void configure(prism::BPR& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
}
inline void configure(prism::SSM& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau = settings.tau_or(loss.tau);
  loss.log_q = settings.log_q;
}
inline void configure(prism::BSL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau1 = loss.tau2 = settings.tau_or(loss.tau1);
  loss.power = settings.bsl_power;
  loss.average_positives = !settings.bsl_each_pair;
}
inline void configure(prism::PSL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.tau = settings.tau_or(loss.tau);
  loss.surrogate = surrogates.at(settings.psl_surrogate);
}
inline void configure(prism::SLK& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.k = settings.slk_k;
  loss.tau_d = settings.tau_or(loss.tau_d);
  loss.tau_w = settings.slk_tau_w;
  loss.constant_weight = settings.slk_constant_weight;
  loss.quantile_negatives = settings.slk_quantile_negatives;
  loss.refresh_epochs = settings.slk_refresh_epochs;
}
inline void configure(prism::CCL& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.margin = settings.ccl_margin;
  loss.weight = settings.ccl_weight;
}
inline void configure(prism::UltraGCN& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.weight = settings.ultragcn_weight;
  loss.w1 = settings.ultragcn_w1;
  loss.w2 = settings.ultragcn_w2;
  loss.w3 = settings.ultragcn_w3;
  loss.w4 = settings.ultragcn_w4;
}
inline void configure(prism::DirectAU& loss, const Settings& settings) {
  loss.gamma = settings.gamma;
}
inline void configure(prism::MAWU& loss, const Settings& settings) {
  loss.gamma1 = settings.gamma1;
  loss.gamma2 = settings.gamma2;
}
inline void configure(prism::MACR& loss, const Settings& settings) {
  loss.negatives = settings.negatives.value_or(loss.negatives);
  loss.alpha = settings.macr_alpha;
  loss.beta = settings.macr_beta;
  loss.c = settings.macr_c;
}
inline void configure(prism::IPL& penalty, const Settings& settings) {
  if (settings.penalty_weight >= 0) penalty.weight = settings.penalty_weight;
  penalty.gamma = settings.ipl_gamma;
}
inline void configure(prism::ReSN& penalty, const Settings& settings) {
  if (settings.penalty_weight >= 0) penalty.weight = settings.penalty_weight;
}
inline void configure(prism::BatchedWD& regularizer, const Settings& settings) {
  regularizer.lambda = settings.lambda;
}
inline void configure(prism::FullWD& regularizer, const Settings& settings) {
  regularizer.lambda = settings.lambda;
}
inline void configure(prism::PRISM<prism::dynamic>& initializer, const Settings& settings) {
  initializer = {.alpha = settings.alpha, .scale = settings.prism_scale};
}
inline void configure(prism::PopularityNegatives& sampler, const Settings& settings) {
  sampler.power = settings.power;
}
template <class Base>
void configure(prism::SharedNegatives<Base>& sampler, const Settings& settings) {
  configure(sampler.base, settings);
  sampler.mask = masks.at(settings.mask);
}
inline void configure(prism::AllInBatchNegatives& sampler, const Settings& settings) {
  sampler.mask = masks.at(settings.mask);
}

}  // namespace experiment
