// SPDX-License-Identifier: BSD-3-Clause
// The options of `experiment`, and the combinations that are refused.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <prism/core/error.hpp>
#include <prism/models/policies.hpp>
#include <system_error>

#include "options.hpp"
#include "settings.hpp"

namespace experiment {

namespace {

/// @throws CLI::ValidationError  if an option is set that no chosen policy uses
void refuse_what_nothing_reads(const CLI::App& app, const Settings& settings) {
  const std::vector<ModelChoice> models = settings.models();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    if (option->count() == 0 || readers(name).empty()) continue;
    const bool read = std::ranges::any_of(
        models, [&](const ModelChoice& model) { return reads(settings, model, name); });
    if (!read) throw CLI::ValidationError("--" + name, "is used only with " + readers(name));
  }
}

/// @throws CLI::ValidationError  for an option that --split does not use
void refuse_unused_by_split(const CLI::App& app, const Settings& settings) {
  for (const char* option : {"--time-column", "--file-order"}) {
    if (app.count(option) > 0 && !settings.read_times) {
      throw CLI::ValidationError(option,
                                 "is used only with --split by time: temporal_user, "
                                 "temporal_global or leave_last_out");
    }
  }
  for (const char* option : {"--validation-part", "--test-part"}) {
    if (app.count(option) > 0 && settings.split == "leave_last_out") {
      throw CLI::ValidationError(option, "is not used with --split leave_last_out");
    }
  }
}

/// @throws CLI::ValidationError  for negatives that all pairs share, with a loss that supports only
///     each pair's own
void refuse_shared_negatives(const Settings& settings) {
  const bool shared = settings.sampler.starts_with("Shared") ||
                      settings.sampler == prism::AllInBatchNegatives::name;
  if (settings.loss == prism::MACR::name && shared) {
    throw CLI::ValidationError("--sampler", "must draw separate negatives for each pair with MACR");
  }
}

/// Sets each list option to its first value.
/// @throws CLI::ValidationError  for a value given twice, or an option of single runs with trials
void settle_lists(const CLI::App& app, Settings& settings) {
  for (const ListOption& option : list_options) {
    const auto& values = settings.lists[option.name];
    if (!values.empty()) settings.*option.value = values.front();
  }
  settings.seed = settings.seeds.front();
  const auto refuse_twice = [](const std::string& option, const auto& values, const auto& text) {
    for (const auto& value : values) {
      if (std::ranges::count(values, value) == 1) continue;
      throw CLI::ValidationError("--" + option, "has " + text(value) + " twice");
    }
  };
  const auto as_text = [](std::uint64_t number) { return std::to_string(number); };
  refuse_twice("at", settings.at, as_text);
  refuse_twice("seed", settings.seeds, as_text);
  for (const auto& [option, values] : settings.lists) {
    refuse_twice(option, values, prism::format_number);
  }
  if (!settings.trials()) return;
  if (settings.aggregate) {
    throw CLI::ValidationError("--aggregate", "is for single runs, not for lists or --tune");
  }
  if (!settings.warm_start.empty()) {
    throw CLI::ValidationError("--warm-start", "is for single runs, not for lists or --tune");
  }
  for (const char* option : {"--save", "--json", "--report", "--log", "--checkpoint"}) {
    if (app.count(option) > 0) {
      throw CLI::ValidationError(option,
                                 "is for single runs; with lists or --tune, use "
                                 "--records FILE");
    }
  }
}

/// @throws CLI::ValidationError  for several seeds, each of which reads the data, of a pipe
void refuse_pipe_for_seeds(const Settings& settings) {
  if (settings.seeds.size() < 2) return;
  for (const auto& [option, file] :
       {std::pair("--data", &settings.data), std::pair("--test", &settings.test)}) {
    std::error_code none;
    if (file->empty() || std::filesystem::is_regular_file(*file, none)) continue;
    throw CLI::ValidationError(
        option,
        "is a pipe, which can be read only once, but each --seed reads it; save it as a "
        "file");
  }
}

}  // namespace

void declare_options(CLI::App& app, Settings& settings) {
  const auto one_of = [](auto types) { return CLI::IsMember(prism::names(types)); };
  const CLI::Range at_least_1(std::size_t{1}, std::size_t{1} << 31, "INTEGER >= 1");
  const std::string model = "Model", training = "Training", tuning = "Lists and tuning";

  declare_split_options(app, settings);

  app.add_option("--backbone", settings.backbone)
      ->check(one_of(prism::all::Backbones{}))
      ->capture_default_str()
      ->group(model);
  app.add_option("--loss", settings.loss)
      ->check(one_of(prism::all::Losses{}))
      ->capture_default_str()
      ->group(model);
  app.add_option("--penalty", settings.penalty, "added to the loss; none by default")
      ->check(one_of(prism::all::Penalties{}))
      ->group(model);
  app.add_option("--regularizer", settings.regularizer, "without --initializer: Xavier")
      ->check(one_of(prism::all::Regularizers{}))
      ->group(model);
  app.add_option("--initializer", settings.initializer, "without --regularizer: None")
      ->check(one_of(prism::all::Initializers{}))
      ->group(model);
  app.add_option("--optimizer", settings.optimizer)
      ->check(one_of(prism::all::Optimizers{}))
      ->capture_default_str()
      ->group(model);
  app.add_option("--sampler", settings.sampler, "of negatives, for losses that use them")
      ->check(one_of(prism::all::Samplers{}))
      ->capture_default_str()
      ->group(model);
  app.add_flag(
         "--released", settings.released,
         "as in the paper's published code: linear MLP, in-batch negatives, batches shuffled "
         "once, 20 negatives for SSM, MAWU's margins broadcast, IPL over the batch with groups "
         "that are not sorted by item")
      ->group(model);
  app.add_option("--dim", settings.dim, "columns of the embedding tables")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->capture_default_str()
      ->group(model);

  declare_policy_options(app, settings);
  declare_ranking_options(app, settings);

  list_option(
      app, settings, "lr",
      "learning rate; default: computed from the initial embeddings, the loss, the ranking and "
      "the steps per epoch")
      ->check(number_from(0, true))
      ->group(training);
  app.add_option("--schedule", settings.schedule,
                 "of the learning rate; default: constant with --lr, otherwise computed from the "
                 "initial embeddings, the loss and the ranking")
      ->check(CLI::IsMember({"constant", "cosine", "plateau"}))
      ->group(training);
  app.add_option("--batch", settings.batch, "pairs per step")
      ->check(at_least_1)
      ->capture_default_str()
      ->group(training);
  app.add_option("--epochs", settings.epochs, "maximum")
      ->check(at_least_1)
      ->capture_default_str()
      ->group(training);
  app.add_option("--patience", settings.patience,
                 "epochs without a better validation NDCG@20 before training stops")
      ->check(at_least_1)
      ->capture_default_str()
      ->group(training);
  app.add_option("--min-steps", settings.min_steps,
                 "minimum number of steps before epochs count for --patience")
      ->capture_default_str()
      ->group(training);
  app.add_option("--validate-every", settings.validate_every,
                 "epochs from one validation to the next; --patience is checked in those epochs")
      ->check(at_least_1)
      ->capture_default_str()
      ->group(training);
  app.add_flag(
         "--validate-by-cosine", settings.validate_by_cosine,
         "also rank the validation set by cosine, and show and record that; early stopping is "
         "by dot product")
      ->group(training);
  app.add_option("--seed", settings.seeds, "of all random numbers, including the split")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 53, "INTEGER >= 0"))
      ->delimiter(',')
      ->default_str("123")
      ->group(training);
  app.add_option("--device", settings.device,
                 "where models are trained; cuda needs a build with PRISM_CUDA")
      ->check(CLI::IsMember({"host", "cuda"}))
      ->group(training);
  app.add_option("--threads", settings.threads,
                 "maximum; default: all cores, or as many CPUs as the quota of a container allows")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 16))
      ->group(training);

  app.add_option("--warm-start", settings.warm_start,
                 "begin with the rows of the users and items that the saved model in this folder "
                 "knows by their ids, and with its parameters; it must have the same backbone, "
                 "loss and --dim")
      ->check(CLI::ExistingDirectory)
      ->group(training);
  app.add_flag("--retrain", settings.retrain,
               "then retrain on training and validation set for the best number of epochs, "
               "and test that model")
      ->group(training);
  app.add_flag("--aggregate", settings.aggregate,
               "then add to each row those of its neighbours in the training graph (test-time "
               "aggregation), with the exponents and weight that rank the validation set best, or "
               "none if that is best; not saved; not after a signal has ended training")
      ->group(training);

  app.add_flag("--tune", settings.tune,
               "for each model, choose among the lists' combinations by validation with the first "
               "seed, and run that with every seed")
      ->group(tuning);
  app.add_option("--first-epochs", settings.first_epochs,
                 "--tune: number of epochs after which the best third for each learning rate is "
                 "kept, and so on (successive halving); 0: all are trained to the end")
      ->needs("--tune")
      ->capture_default_str()
      ->group(tuning);
  app.add_option("--records", settings.records,
                 "append each trial to this JSON Lines file; trials already in it are not run "
                 "again, and trials interrupted by SIGINT or SIGTERM are continued")
      ->check(appendable_file())
      ->group(tuning);

  declare_output_options(app, settings);
  app.set_version_flag("--version", "prism " PRISM_VERSION);

  // The preset sets these.
  app.get_option("--released")
      ->excludes(app.get_option("--sampler"))
      ->excludes(app.get_option("--activation"));
  app.get_option("--aggregate")->excludes(app.get_option("--save"));
  app.get_option("--warm-start")->excludes(app.get_option("--retrain"));
  app.parse_complete_callback([&app, &settings] {
    settle_lists(app, settings);
    if (settings.released) {
      settings.sampler = prism::InBatchNegatives::name;
      settings.activation = prism::Identity::name;
    }
    refuse_what_nothing_reads(app, settings);
    if (!settings.rating_column.empty() && !settings.min_rating) {
      throw CLI::ValidationError("--rating-column",
                                 "requires --min-rating, because nothing else reads ratings");
    }
    if (settings.validate_by_cosine && settings.trials() && settings.records.empty()) {
      throw CLI::ValidationError("--validate-by-cosine",
                                 "requires --records for lists, several seeds and --tune, whose "
                                 "table does not show it");
    }
    if (settings.drop_repeated && !settings.test_is_given()) {
      throw CLI::ValidationError("--drop-repeated", "requires --test or --test-column");
    }
    settings.read_times = settings.split != "random";
    refuse_unused_by_split(app, settings);
    refuse_shared_negatives(settings);
    refuse_one_file_for_two(settings);
    refuse_pipe_for_seeds(settings);
  });
}

}  // namespace experiment
