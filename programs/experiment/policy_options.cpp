// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <prism/initializer/prism.hpp>
#include <prism/models/policies.hpp>
#include <string>

#include "options.hpp"
#include "settings.hpp"

namespace experiment {

void declare_policy_options(CLI::App& app, Settings& settings) {
  const auto one_of = [](auto types) { return CLI::IsMember(prism::names(types)); };
  const CLI::Validator weight = number_from(0, false), positive = number_from(0, true);
  const std::string options = "Options of policies";
  const auto list = [&](const std::string& name, const std::string& text) {
    return list_option(app, settings, name, text);
  };
  const auto weight_of = [&](const char* name, double& to, const char* text) {
    app.add_option(name, to, text)->check(weight)->capture_default_str()->group(options);
  };

  list("alpha", "PRISM: 0 ignores popularity, larger values favour popular items")
      ->check(number_between(0, prism::max_prism_alpha))
      ->group(options);
  list("prism-scale",
       "PRISM: factor on all magnitudes; about 0.02 for BPR, MACR and UltraGCN, whose logits are "
       "dot products")
      ->check(positive)
      ->group(options);
  list("lambda", "FullWD, BatchedWD: weight decay")->check(weight)->group(options);
  app.add_option("--activation", settings.activation, "MLP: between its two layers")
      ->check(one_of(prism::Types<prism::ReLU, prism::Identity>{}))
      ->capture_default_str()
      ->group(options);
  list("simplex-own-weight",
       "SimpleX: weight of a user's own row, from 0 to 1 (MF); the history's is 1 less it")
      ->check(number_between(0, 1))
      ->group(options);
  app.add_option("--dropout", settings.dropout,
                 "rate at which numbers of the backbone's output rows are dropped in training")
      ->check(number_between(0, 0.999))
      ->capture_default_str()
      ->group(options);
  app.add_option(
         "--negatives", settings.negatives,
         "of a pair; default 1 for BPR and MACR, 10 for SSM (20 with --released), 800 for BSL "
         "and CCL, 1000 for PSL and SLK, 1500 for UltraGCN; an epoch with hundreds takes long, "
         "unless pairs share them (--sampler SharedUniformNegatives)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->group(options);
  app.add_option("--power", settings.power, "PopularityNegatives: exponent of popularity")
      ->check(number_between(-100, 100))
      ->capture_default_str()
      ->group(options);
  app.add_option("--mask", settings.mask,
                 "samplers of shared negatives: which of them do not count for a pair; none, its "
                 "own item, or all items that its user has seen")
      ->check(CLI::IsMember(&masks))
      ->capture_default_str()
      ->group(options);
  list("tau", "temperature; default 0.2 for SSM, 0.1 for BSL, PSL and SLK")
      ->check(number_between(1e-6, 1e6))
      ->group(options);
  app.add_flag("--log-q", settings.log_q,
               "SSM: correct for a sampler that draws items with unequal probabilities")
      ->group(options);
  app.add_option("--bsl-power", settings.bsl_power, "BSL: of the negatives' sum")
      ->check(positive)
      ->capture_default_str()
      ->group(options);
  app.add_flag("--bsl-each-pair", settings.bsl_each_pair,
               "BSL: each pair for itself, in place of the mean over the user's pairs in the batch")
      ->group(options);
  app.add_option("--psl-surrogate", settings.psl_surrogate, "PSL: in place of the exponential")
      ->check(CLI::IsMember(&surrogates))
      ->capture_default_str()
      ->group(options);
  app.add_option("--slk-k", settings.slk_k, "SLK: K of the Top-K quantile")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
      ->capture_default_str()
      ->group(options);
  list("slk-tau-w", "SLK: temperature of the pairs' weights")
      ->check(number_between(1e-6, 1e6))
      ->group(options);
  app.add_flag("--slk-constant-weight", settings.slk_constant_weight,
               "SLK: no gradient through the weights; without it tau-w has to be well above tau")
      ->group(options);
  app.add_option("--slk-quantile-negatives", settings.slk_quantile_negatives,
                 "SLK: items drawn for a user's quantile, beside the user's own")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
      ->capture_default_str()
      ->group(options);
  app.add_option("--slk-refresh-epochs", settings.slk_refresh_epochs,
                 "SLK: epochs from one computation of the quantiles to the next")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30))
      ->capture_default_str()
      ->group(options);
  list("ccl-margin", "CCL: cosine below which a negative does not count")
      ->check(number_between(-1, 1))
      ->group(options);
  list("ccl-weight", "CCL: weight of the negatives")->check(weight)->group(options);
  list("ultragcn-weight", "UltraGCN: weight of the negatives")->check(weight)->group(options);
  weight_of("--ultragcn-w1", settings.ultragcn_w1, "UltraGCN: weight of each pair");
  weight_of("--ultragcn-w2", settings.ultragcn_w2, "UltraGCN: weight of a pair's beta");
  weight_of("--ultragcn-w3", settings.ultragcn_w3, "UltraGCN: weight of each negative");
  weight_of("--ultragcn-w4", settings.ultragcn_w4, "UltraGCN: weight of a negative's beta");
  list("gamma", "DirectAU: weight of the uniformity")->check(weight)->group(options);
  list("gamma1", "MAWU: weight of the users' uniformity")->check(weight)->group(options);
  list("gamma2", "MAWU: weight of the items' uniformity")->check(weight)->group(options);
  weight_of("--macr-alpha", settings.macr_alpha, "MACR: weight of the item head's loss");
  weight_of("--macr-beta", settings.macr_beta, "MACR: weight of the user head's loss");
  app.add_option("--macr-c", settings.macr_c, "MACR: reference score, subtracted in ranking")
      ->check(CLI::Range(-1e30, 1e30))  // its products with scores are finite in float
      ->capture_default_str()
      ->group(options);
  list("penalty-weight", "default 0.1 for IPL, 1e-6 for ReSN")
      ->check(weight)
      ->needs("--penalty")
      ->group(options);
  app.add_option("--ipl-gamma", settings.ipl_gamma, "IPL: popularity has the exponent 2 - gamma")
      ->check(number_from(-100, false))
      ->capture_default_str()
      ->group(options);
}

std::string readers(const std::string& option) {
  if (option == "alpha" || option == "prism-scale") return "--initializer PRISM";
  if (option == "lambda") return "--regularizer FullWD or BatchedWD";
  if (option == "activation") return "--backbone MLP";
  if (option.starts_with("simplex-")) return "--backbone SimpleX";
  if (option == "sampler") return "--loss BPR, SSM, BSL, PSL, SLK, CCL, UltraGCN or MACR";
  if (option == "negatives") {
    return "--loss BPR, SSM, BSL, PSL, SLK, CCL, UltraGCN or MACR, and not AllInBatchNegatives";
  }
  if (option == "power") return "--sampler PopularityNegatives or SharedPopularityNegatives";
  if (option == "mask") return "samplers of shared negatives";
  if (option == "tau") return "--loss SSM, BSL, PSL or SLK";
  if (option == "log-q") return "--loss SSM and a sampler by popularity or from the batch";
  if (option.starts_with("bsl-")) return "--loss BSL";
  if (option == "psl-surrogate") return "--loss PSL";
  if (option.starts_with("slk-")) return "--loss SLK";
  if (option.starts_with("ccl-")) return "--loss CCL";
  if (option.starts_with("ultragcn-")) return "--loss UltraGCN";
  if (option == "gamma") return "--loss DirectAU";
  if (option == "gamma1" || option == "gamma2") return "--loss MAWU";
  if (option.starts_with("macr-")) return "--loss MACR";
  if (option == "ipl-gamma") return "--penalty IPL";
  return {};
}

}  // namespace experiment
