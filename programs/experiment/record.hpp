// SPDX-License-Identifier: BSD-3-Clause
// Settings and results as JSON.
#pragma once

#include <algorithm>
#include <optional>
#include <prism/core/config.hpp>
#include <prism/data/fingerprint.hpp>
#include <prism/data/ids.hpp>
#include <prism/experiment/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "option_names.hpp"
#include "run.hpp"
#include "settings.hpp"
#include "test_metrics.hpp"

namespace experiment {

inline prism::Json measured(bool there, double number) {
  return there ? prism::Json(number) : nullptr;
}

inline prism::Json to_json(const prism::EpochRecord& epoch) {
  prism::Json json = {{"epoch", epoch.epoch},
                      {"loss", epoch.loss},
                      {"validation_ndcg", measured(epoch.validated, epoch.validation_ndcg)},
                      {"train_seconds", epoch.train_seconds},
                      {"validate_seconds", epoch.validate_seconds}};
  if (epoch.chosen) json["chosen"] = *epoch.chosen;
  if (epoch.validation_by_cosine) json["validation_by_cosine"] = *epoch.validation_by_cosine;
  return json;
}

/// @param validates  whether there was a validation set; if not, its numbers are null
inline prism::Json to_json(const prism::History& history, bool validates) {
  prism::Json epochs = prism::Json::array();
  for (const prism::EpochRecord& epoch : history.epochs) epochs.push_back(to_json(epoch));
  const auto given = [](const std::optional<double>& number) {
    return number ? prism::Json(*number) : nullptr;
  };
  return {{"initial_validation", given(history.initial_validation)},
          {"chosen", given(history.best_chosen)},
          {"best_epoch", history.best_epoch},
          {"best_validation_ndcg", measured(validates, history.best_validation_ndcg)},
          {"stopped_early", history.stopped_early()},
          {"stop_reason", prism::name_of(history.stop_reason)},
          {"steps_per_epoch", history.steps_per_epoch},
          {"learning_rate", history.learning_rate},
          {"seconds", history.seconds},
          {"warnings", history.warnings},
          {"epochs", epochs}};
}

inline prism::Json to_json(const Run& run) {
  prism::Json json = {{"model", run.name},
                      {"backbone", run.choice.backbone},
                      {"loss", run.choice.loss},
                      {"regularizer", run.choice.regularizer},
                      {"initializer", run.choice.initializer},
                      {"policies", run.policies}};
  const prism::Ranking& ranking = run.choice.ranking;
  if (!ranking.is_default()) json["ranking"] = ranking.label();
  if (run.error) {
    json["error"] = programs::in_options(*run.error);
    return json;
  }
  json["history"] = to_json(run.history, true);
  json["interrupted"] = run.interrupted();
  if (run.training_error) json["training_error"] = *run.training_error;
  if (run.retraining_error) {
    json["retraining_error"] = programs::in_options(*run.retraining_error);
  }
  if (run.checkpoint_error) json["checkpoint_error"] = *run.checkpoint_error;
  if (run.save_error) json["save_error"] = *run.save_error;
  if (run.retraining) json["retraining"] = to_json(*run.retraining, false);
  if (run.aggregation) {
    const auto& [m, n, weight] = run.aggregation->aggregation;
    json["aggregation"] = {{"neighbour_exponent", m},
                           {"own_exponent", n},
                           {"weight", weight},
                           {"validation_ndcg", run.aggregation->report.ndcg}};
  }
  if (run.as_trained) json["test_by_dot_without_aggregation"] = prism::to_json(*run.as_trained);
  if (!run.has_results()) return json;
  json["test_by_dot"] = prism::to_json(run.dot);
  json["test_by_cosine"] = prism::to_json(run.cosine);
  json["magnitude_popularity_spearman"] = run.magnitude_popularity_correlation;
  prism::Json magnitudes = prism::Json::array();
  for (const prism::MagnitudeBin& bin : run.item_magnitudes) {
    magnitudes.push_back(
        {{"items", bin.items}, {"popularity", bin.popularity}, {"magnitude", bin.magnitude}});
  }
  json["item_magnitudes"] = std::move(magnitudes);
  return json;
}

/// --rank-power or --rank-alpha: a number, the numbers to choose from, or "auto".
/// @param value   that it sets; unset for several
/// @param values  that it sets
inline prism::Json to_json(const std::string& option, std::optional<double> value,
                           const std::vector<double>& values) {
  if (option.empty()) return nullptr;
  if (option == automatic_ranking) return option;
  return value ? prism::Json(*value) : prism::Json(values);
}

inline prism::Json to_json(const Settings& settings) {
  const prism::Ranking ranking = settings.ranking();
  prism::Json json = {{"data", settings.data.empty() ? "synthetic" : settings.data},
                      {"test", nullptr},
                      {"test_column", nullptr},
                      {"test_value", nullptr},
                      {"format", settings.format},
                      {"delimiter", settings.delimiter},
                      {"user_column", settings.user_column},
                      {"item_column", settings.item_column},
                      {"rating_column", settings.rating_column},
                      {"header", settings.header},
                      {"no_header", settings.no_header},
                      {"comment", nullptr},
                      {"drop_repeated", settings.drop_repeated},
                      {"split", settings.split},
                      {"time_column", settings.time_column},
                      {"file_order", settings.file_order},
                      {"min_rating", nullptr},
                      {"validation_part", nullptr},
                      {"test_part", nullptr},
                      {"warm_start", nullptr},
                      {"retrain", settings.retrain},
                      {"aggregate", settings.aggregate},
                      {"synthetic_users", settings.synthetic_users},
                      {"synthetic_items", settings.synthetic_items},
                      {"activation", settings.activation},
                      {"simplex_own_weight", settings.simplex_own_weight},
                      {"dropout", settings.dropout},
                      {"penalty", nullptr},
                      {"optimizer", settings.optimizer},
                      {"sampler", settings.sampler},
                      {"released", settings.released},
                      {"alpha", settings.alpha},
                      {"prism_scale", settings.prism_scale},
                      {"lambda", settings.lambda},
                      {"gamma", settings.gamma},
                      {"gamma1", settings.gamma1},
                      {"gamma2", settings.gamma2},
                      {"tau", nullptr},
                      {"log_q", settings.log_q},
                      {"bsl_power", settings.bsl_power},
                      {"bsl_each_pair", settings.bsl_each_pair},
                      {"psl_surrogate", settings.psl_surrogate},
                      {"slk_k", settings.slk_k},
                      {"slk_tau_w", settings.slk_tau_w},
                      {"slk_constant_weight", settings.slk_constant_weight},
                      {"slk_quantile_negatives", settings.slk_quantile_negatives},
                      {"slk_refresh_epochs", settings.slk_refresh_epochs},
                      {"ccl_margin", settings.ccl_margin},
                      {"ccl_weight", settings.ccl_weight},
                      {"ultragcn_weight", settings.ultragcn_weight},
                      {"ultragcn_w1", settings.ultragcn_w1},
                      {"ultragcn_w2", settings.ultragcn_w2},
                      {"ultragcn_w3", settings.ultragcn_w3},
                      {"ultragcn_w4", settings.ultragcn_w4},
                      {"macr_alpha", settings.macr_alpha},
                      {"macr_beta", settings.macr_beta},
                      {"macr_c", settings.macr_c},
                      {"penalty_weight", nullptr},
                      {"ipl_gamma", settings.ipl_gamma},
                      {"power", settings.power},
                      {"mask", settings.mask},
                      {"negatives", nullptr},
                      {"dim", settings.dim},
                      {"rank_power", to_json(settings.rank_power, ranking.power, ranking.powers)},
                      {"rank_alpha", to_json(settings.rank_alpha, ranking.alpha, ranking.alphas)},
                      {"rank_exponent", nullptr},
                      {"learning_rate", nullptr},
                      {"schedule", nullptr},
                      {"batch", settings.batch},
                      {"epochs", settings.epochs},
                      {"patience", settings.patience},
                      {"min_steps", settings.min_steps},
                      {"validate_every", settings.validate_every},
                      {"validate_by_cosine", settings.validate_by_cosine},
                      {"seed", settings.seed},
                      {"threads", nullptr},
                      {"device", settings.device}};
  if (!settings.test.empty()) {
    json["test"] = settings.test;
  } else if (!settings.test_column.empty()) {
    json["test_column"] = settings.test_column;
    json["test_value"] = settings.test_value;
  } else if (settings.split != "leave_last_out") {
    json["test_part"] = settings.test_part;
  }
  if (settings.split != "leave_last_out") json["validation_part"] = settings.validation_part;
  if (!settings.schedule.empty()) json["schedule"] = settings.schedule;
  if (settings.learning_rate > 0) json["learning_rate"] = settings.learning_rate;
  if (settings.comment) json["comment"] = *settings.comment;
  if (settings.min_rating) json["min_rating"] = *settings.min_rating;
  // Only where they are set, so that earlier records, which lack them, are those of the same
  // settings.
  if (settings.drop_invalid) json["drop_invalid"] = true;
  if (settings.decimal_comma) json["decimal_comma"] = true;
  if (settings.backslash_escapes) json["backslash_escapes"] = true;
  if (settings.missing_ids) json["missing_ids"] = *settings.missing_ids;
  if (settings.penalty) json["penalty"] = *settings.penalty;
  if (settings.penalty_weight >= 0) json["penalty_weight"] = settings.penalty_weight;
  if (!settings.warm_start.empty()) json["warm_start"] = settings.warm_start;
  if (settings.tau >= 0) json["tau"] = settings.tau;
  if (settings.rank_exponent) json["rank_exponent"] = *settings.rank_exponent;
  if (settings.negatives) json["negatives"] = *settings.negatives;
  if (settings.threads) json["threads"] = *settings.threads;
  return json;
}

/// The data's sizes, and fingerprints that identify its parts.
inline prism::Json to_json(const prism::Split& split) {
  return {{"users", split.train.users()},
          {"items", split.train.items()},
          {"train", split.train.size()},
          {"validation", split.validation.size()},
          {"test", split.test.size()},
          {"train_fingerprint", prism::fingerprint(split.train)},
          {"validation_fingerprint", prism::fingerprint(split.validation)},
          {"test_fingerprint", prism::fingerprint(split.test)}};
}

/// Whether a recorded run completed its training.
[[nodiscard]] inline bool is_complete(const prism::Json& run) {
  const auto has = [&](const char* problem) { return run.contains(problem); };
  return !run.value("interrupted", false) && !has("training_error") && !has("retraining_error") &&
         !has("error");
}

/// Whether `run` replaces the recorded run `before`, of the same model, settings and data. A
/// complete run replaces any run, and any run replaces one that diverged. Otherwise an incomplete
/// run replaces only an incomplete run that ranked the validation set worse.
[[nodiscard]] inline bool replaces(const prism::Json& run, const prism::Json& before) {
  if (is_complete(run) || before.contains("error")) return true;
  if (is_complete(before)) return false;
  const prism::Json::json_pointer validation("/history/best_validation_ndcg");
  return run.value(validation, 0.0) > before.value(validation, 0.0);
}

/// The recorded run of the same model; the end of `runs` if there is none.
[[nodiscard]] inline auto same_model(prism::Json& runs, const prism::Json& run) {
  const auto model_of = [](const prism::Json& of) {
    std::vector<prism::Json> model;
    for (const char* policy : {"backbone", "loss", "regularizer", "initializer", "ranking"}) {
      model.push_back(of.value(policy, prism::Json()));
    }
    return model;
  };
  return std::ranges::find_if(
      runs, [&](const prism::Json& other) { return model_of(other) == model_of(run); });
}

/// The reason why this run is not written to --json; none if it is written.
/// @param before  array of the runs that were recorded earlier
[[nodiscard]] inline std::optional<std::string> why_not_recorded(const Settings& settings,
                                                                 const Run& run,
                                                                 prism::Json before) {
  if (!run.error && !run.has_results())
    return run.ended_by() + " before its first epoch was complete";
  const prism::Json json = to_json(run);
  const auto same = same_model(before, json);
  if (same == before.end() || replaces(json, *same)) return std::nullopt;
  return "the one in " + settings.json + " is kept, as " + run.ended_by() +
         (is_complete(*same) || run.error ? "" : " before it ranked the validation set better");
}

/// The runs of a record: earlier ones, replaced or extended by those that are to be recorded.
/// @param ids     of the users
/// @param before  array; its runs of models that are not among `runs` stay
[[nodiscard]] inline prism::Json merged(const Settings& settings, const prism::Ids& ids,
                                        prism::Json before, const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.not_recorded) continue;
    prism::Json json = to_json(run);
    add_test_metrics(settings, run, ids, json);
    const auto same = same_model(before, json);
    if (same == before.end()) {
      before.push_back(std::move(json));
    } else {
      *same = std::move(json);
    }
  }
  return before;
}

}  // namespace experiment
