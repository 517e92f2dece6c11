// SPDX-License-Identifier: BSD-3-Clause
#include "model.hpp"

#include <map>
#include <prism/core/error.hpp>
#include <prism/core/execution.hpp>
#include <prism/execution/host.hpp>
#include <prism/models/make_model_with.hpp>
#include <prism/models/policies.hpp>
#include <prism/models/types.hpp>
#include <prism/training/schedule.hpp>
#include <string>
#include <type_traits>
#include <vector>
#if defined(EXPERIMENT_HAS_CUDA)
#include "on_device.hpp"
#endif

namespace experiment {

namespace {

/// The position of an enumerator.
template <class Enum>
double position(const std::map<std::string, Enum>& enumerators, const std::string& name) {
  return static_cast<double>(enumerators.at(name));
}

std::vector<prism::PolicyOption> loss_options(const Settings& settings, const std::string& loss) {
  std::vector<prism::PolicyOption> options;
  if (loss == "DirectAU") return {{"loss.gamma", settings.gamma}};
  if (loss == "MAWU") return {{"loss.gamma1", settings.gamma1}, {"loss.gamma2", settings.gamma2}};
  const auto set = [&](const char* name, double value) { options.push_back({name, value}); };
  // These have a default of each loss.
  const auto set_tau = [&](const char* name) {
    if (settings.tau >= 0) set(name, settings.tau);
  };
  if (settings.negatives && reads(settings, {.loss = loss}, "sampler")) {
    set("loss.negatives", static_cast<double>(*settings.negatives));
  }
  if (loss == "SSM") {
    set_tau("loss.tau");
    set("loss.log_q", settings.log_q);
  } else if (loss == "BSL") {
    set_tau("loss.tau1");
    set_tau("loss.tau2");
    set("loss.power", settings.bsl_power);
    set("loss.average_positives", !settings.bsl_each_pair);
  } else if (loss == "PSL") {
    set_tau("loss.tau");
    set("loss.surrogate", position(surrogates, settings.psl_surrogate));
  } else if (loss == "SLK") {
    set_tau("loss.tau_d");
    set("loss.k", static_cast<double>(settings.slk_k));
    set("loss.tau_w", settings.slk_tau_w);
    set("loss.constant_weight", settings.slk_constant_weight);
    set("loss.quantile_negatives", static_cast<double>(settings.slk_quantile_negatives));
    set("loss.refresh_epochs", static_cast<double>(settings.slk_refresh_epochs));
  } else if (loss == "CCL") {
    set("loss.margin", settings.ccl_margin);
    set("loss.weight", settings.ccl_weight);
  } else if (loss == "UltraGCN") {
    set("loss.weight", settings.ultragcn_weight);
    set("loss.w1", settings.ultragcn_w1);
    set("loss.w2", settings.ultragcn_w2);
    set("loss.w3", settings.ultragcn_w3);
    set("loss.w4", settings.ultragcn_w4);
  } else if (loss == "MACR") {
    set("loss.alpha", settings.macr_alpha);
    set("loss.beta", settings.macr_beta);
    set("loss.c", settings.macr_c);
  }
  return options;
}

/// Calls make.template operator()<Loss>(execution) for the loss's name and --device.
template <class Make>
auto with_loss_and_device(const Settings& settings, const std::string& loss, const Make& make) {
  decltype(make.template operator()<prism::BPR>(prism::par)) result {};
  prism::choose(prism::all::Losses{}, "loss", loss, [&]<class Loss>(std::type_identity<Loss>) {
#if defined(EXPERIMENT_HAS_CUDA)
    if (settings.device == "cuda") {
      result = make.template operator()<Loss>(prism::CudaDevice{});
      return;
    }
#endif
    prism::require(settings.device == "host", "--device",
                   "cannot be cuda in a program that was built without -DPRISM_CUDA=ON");
    result = make.template operator()<Loss>(prism::par);
  });
  return result;
}

}  // namespace

prism::ModelSpec model_spec(const Settings& settings, const ModelChoice& choice) {
  prism::ModelSpec spec{.backbone = choice.backbone,
                        .loss = choice.loss,
                        .penalty = settings.penalty.value_or(""),
                        .regularizer = choice.regularizer,
                        .initializer = choice.initializer,
                        .optimizer = settings.optimizer,
                        .sampler = settings.sampler,
                        .dim = settings.dim,
                        .activation = settings.activation,
                        .dropout = settings.dropout,
                        .released = settings.released,
                        .options = loss_options(settings, choice.loss),
                        .ranking = choice.ranking,
                        .seed = settings.seed};
  const auto set = [&](const char* name, double value) { spec.options.push_back({name, value}); };
  if (choice.backbone == "SimpleX") set("backbone.own_weight", settings.simplex_own_weight);
  if (choice.regularizer != "None") set("regularizer.lambda", settings.lambda);
  if (choice.initializer == "PRISM") {
    set("initializer.alpha", settings.alpha);
    set("initializer.scale", settings.prism_scale);
  }
  if (settings.penalty) {
    if (settings.penalty_weight >= 0) set("penalty.weight", settings.penalty_weight);
    if (*settings.penalty == "IPL") set("penalty.gamma", settings.ipl_gamma);
  }
  if (reads(settings, choice, "power")) set("sampler.power", settings.power);
  if (reads(settings, choice, "mask")) set("sampler.mask", position(masks, settings.mask));
  return spec;
}

prism::FitOptions fit_options(const Settings& settings) {
  prism::FitOptions fit{
      .batch_size = settings.batch,
      .epochs = settings.epochs,
      .patience = settings.patience,
      .min_steps = settings.min_steps,
      .validate_every = settings.validate_every,
      .shuffle = settings.released ? prism::Shuffle::once : prism::Shuffle::every_epoch,
      .validate_by_cosine = settings.validate_by_cosine};
  if (settings.learning_rate > 0) fit.learning_rate = settings.learning_rate;
  if (settings.schedule == "constant") fit.schedule = prism::ConstantSchedule{};
  if (settings.schedule == "cosine") fit.schedule = prism::CosineSchedule{};
  if (settings.schedule == "plateau") fit.schedule = prism::PlateauSchedule{};
  return fit;
}

std::unique_ptr<prism::AnyRecommender> make_model(const Settings& settings,
                                                  const ModelChoice& choice,
                                                  const prism::Interactions& train) {
  return with_loss_and_device(settings, choice.loss, [&]<class Loss>(const auto& exec) {
    return prism::make_model_with<Loss>(exec, model_spec(settings, choice),
                                        prism::Interactions(train));
  });
}

prism::TrialSpec trial(const Settings& settings, const ModelChoice& choice,
                       const prism::Configuration& configuration, const prism::TrialData& data) {
  return with_loss_and_device(settings, choice.loss, [&]<class Loss>(const auto& exec) {
    return prism::spec_trial_with<Loss>(exec, model_spec(settings, choice), data,
                                        fit_options(settings), configuration);
  });
}

}  // namespace experiment
