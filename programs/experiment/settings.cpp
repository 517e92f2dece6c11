// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <algorithm>
#include <prism/models/policies.hpp>
#include <sstream>
#include <utility>

#include "number_options.hpp"

namespace experiment {

namespace {

/// Sets one value, or the list that validation chooses from.
void set_values(const std::string& text, const std::vector<double>& automatic,
                std::optional<double>& value, std::vector<double>& list) {
  if (text.empty()) return;
  if (text == automatic_ranking) {
    list = automatic;
    return;
  }
  std::istringstream numbers(text);
  for (std::string number; std::getline(numbers, number, ',');) {
    (void)programs::read_number(number, list.emplace_back());
  }
  std::ranges::sort(list);
  if (list.size() > 1) return;
  value = list.front();
  list.clear();
}

}  // namespace

prism::Ranking Settings::ranking() const {
  prism::Ranking ranking{.exponent = rank_exponent};
  set_values(rank_power, prism::default_powers(), ranking.power, ranking.powers);
  set_values(rank_alpha, prism::default_alphas(), ranking.alpha, ranking.alphas);
  return ranking;
}

std::string file_name(const ModelChoice& model) {
  std::string name =
      model.backbone + "-" + model.loss + "-" + model.regularizer + "-" + model.initializer;
  if (!model.ranking.is_default()) {
    name += "-" + model.ranking.name();
    std::erase(name, ',');
    std::ranges::replace(name, ' ', '_');
  }
  return name;
}
std::filesystem::path model_folder(const Settings& settings, const ModelChoice& model) {
  return std::filesystem::path(settings.save) / file_name(model);
}
std::filesystem::path checkpoint_file(const Settings& settings, const ModelChoice& model) {
  return std::filesystem::path(settings.checkpoint) / (file_name(model) + ".checkpoint");
}

bool reads(const Settings& settings, const ModelChoice& model, const std::string& option) {
  const auto loss_is = [&](auto... names) { return ((model.loss == names) || ...); };
  if (option == "alpha" || option == "prism-scale") {
    return model.initializer == prism::PRISM<>::name;
  }
  if (option == "lambda") return model.regularizer != prism::None::name;
  if (option == "activation") return model.backbone == "MLP";
  if (option.starts_with("simplex-")) return model.backbone == "SimpleX";
  const bool in_batch = settings.sampler.ends_with("InBatchNegatives");
  if (option == "negatives" || option == "sampler") {
    return loss_is("BPR", "SSM", "BSL", "PSL", "SLK", "CCL", "UltraGCN", "MACR") &&
           (option == "sampler" || settings.sampler != prism::AllInBatchNegatives::name);
  }
  if (option == "power") return settings.sampler.ends_with("PopularityNegatives");
  if (option == "mask") {
    return settings.sampler.starts_with("Shared") || settings.sampler == "AllInBatchNegatives";
  }
  if (option == "tau") return loss_is("SSM", "BSL", "PSL", "SLK");
  if (option == "log-q") {
    return loss_is("SSM") && (in_batch || settings.sampler.ends_with("PopularityNegatives"));
  }
  if (option.starts_with("bsl-")) return loss_is("BSL");
  if (option == "psl-surrogate") return loss_is("PSL");
  if (option.starts_with("slk-")) return loss_is("SLK");
  if (option.starts_with("ccl-")) return loss_is("CCL");
  if (option.starts_with("ultragcn-")) return loss_is("UltraGCN");
  if (option == "gamma") return loss_is("DirectAU");
  if (option == "gamma1" || option == "gamma2") return loss_is("MAWU");
  if (option.starts_with("macr-")) return loss_is("MACR");
  if (option == "ipl-gamma") return settings.penalty == "IPL";
  if (option == "penalty-weight") return settings.penalty.has_value();
  return true;
}

std::vector<Combination> combinations(const Settings& settings, const ModelChoice& model) {
  prism::SearchSpace space;
  for (const ListOption& option : list_options) {
    const auto list = settings.lists.find(option.name);
    if (list == settings.lists.end() || list->second.empty()) continue;
    if (reads(settings, model, option.name)) space.grid(option.name, list->second);
  }
  std::vector<Combination> all;
  for (prism::Configuration& configuration : space.configurations()) {
    Combination combination{.settings = settings};
    for (const auto& [name, value] : configuration) {
      const auto option = std::ranges::find_if(
          list_options, [&](const ListOption& each) { return each.name == name; });
      combination.settings.*option->value = value;
    }
    combination.configuration = std::move(configuration);
    all.push_back(std::move(combination));
  }
  return all;
}

}  // namespace experiment
