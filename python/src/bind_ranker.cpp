// SPDX-License-Identifier: BSD-3-Clause
// The module's class Ranker.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <prism/evaluate/evaluate.hpp>
#include <prism/evaluate/ranked_lists.hpp>
#include <prism/evaluate/report.hpp>
#include <prism/evaluate/user_metrics.hpp>
#include <prism/serve/load_model.hpp>
#include <utility>
#include <vector>

#include "module.hpp"
#include "ranker.hpp"

namespace prismcf {

namespace {

using prism::Interactions;
using RowIndex = prism::Index;

nb::dict report_of(const prism::Report& report) {
  nb::dict values;
  values["k"] = report.k;
  values["users"] = report.users;
  values["ndcg"] = report.ndcg;
  values["recall"] = report.recall;
  values["precision"] = report.precision;
  values["mrr"] = report.mrr;
  values["hit_rate"] = report.hit_rate;
  values["coverage"] = report.coverage;
  values["average_popularity"] = report.average_popularity;
  values["gini"] = report.gini;
  values["ndcg_popular"] = report.ndcg_by_stratum[0];
  values["ndcg_neutral"] = report.ndcg_by_stratum[1];
  values["ndcg_unpopular"] = report.ndcg_by_stratum[2];
  return values;
}

nb::dict metrics_of_users(const prism::RankedLists& lists) {
  const prism::UserMetrics metrics = lists.metrics(lists.k());
  nb::dict values;
  values["users"] = to_numpy(std::vector<RowIndex>(lists.users().begin(), lists.users().end()));
  for (const auto& [name, member] : prism::user_metric_names) {
    values[name] = to_numpy(metrics.*member);
  }
  return values;
}

auto arrays_of(Lists&& lists) {
  const std::size_t count = lists.count, k = lists.k;
  return std::pair(to_numpy(std::move(lists.items), {count, k}),
                   to_numpy(std::move(lists.scores), {count, k}));
}

/// A table of the ranker, without a copy; keeps the ranker.
nb::ndarray<nb::numpy, const float> view_of(const std::shared_ptr<Ranker>& ranker,
                                            prism::Rows<const float> rows) {
  const nb::capsule owner(new std::shared_ptr<Ranker>(ranker), [](void* kept) noexcept {
    delete static_cast<std::shared_ptr<Ranker>*>(kept);
  });
  return {rows.data(), {rows.size(), rows.dim()}, owner};
}

}  // namespace

void bind_ranker(nb::module_& module) {
  const auto options = [](std::size_t k, bool cosine, bool exclude_seen,
                          const std::optional<IndexArray>& among,
                          const std::optional<IndexArray>& without, bool untrained) {
    return ListOptions{.k = k,
                       .similarity = cosine ? prism::Similarity::cosine : prism::Similarity::dot,
                       .exclude_seen = exclude_seen,
                       .among = among,
                       .without = without,
                       .untrained = untrained};
  };
  module.def("saved_description", [](const std::filesystem::path& folder) {
    return prism::saved_model_description(folder);
  });
  nb::class_<Ranker>(module, "Ranker")
      .def_static(
          "of_model",
          [](const std::shared_ptr<prism::AnyRecommender>& model) {
            return std::make_shared<Ranker>(model);
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def_static(
          "load",
          [](const std::filesystem::path& folder) {
            return std::make_shared<Ranker>(prism::load_scorer<float>(folder));
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("name", [](const Ranker& ranker) { return ranker.saved().model; })
      .def_prop_ro("train", [](const Ranker& ranker) { return ranker.saved().train; })
      .def_prop_ro("ranking", [](const Ranker& ranker) { return ranker.saved().ranking; })
      .def("with_ranking", &Ranker::with_ranking, nb::call_guard<nb::gil_scoped_release>())
      .def("user_factors",
           [](const std::shared_ptr<Ranker>& ranker) {
             return view_of(ranker, ranker->saved().scorer.output.users());
           })
      .def("item_factors",
           [](const std::shared_ptr<Ranker>& ranker) {
             return view_of(ranker, ranker->saved().scorer.output.items());
           })
      .def(
          "recommend",
          [options](const Ranker& ranker, const IndexArray& users, std::size_t k, bool cosine,
                    bool exclude_seen, const std::optional<IndexArray>& among,
                    const std::optional<IndexArray>& without, bool untrained,
                    const Interactions* seen) {
            ListOptions asked = options(k, cosine, exclude_seen, among, without, untrained);
            asked.seen = seen;
            Lists lists;
            {
              const nb::gil_scoped_release release;
              lists = ranker.recommend(numbers_of(users), asked);
            }
            return arrays_of(std::move(lists));
          },
          nb::arg("users"), nb::arg("k"), nb::arg("cosine"), nb::arg("exclude_seen"),
          nb::arg("among").none(), nb::arg("without").none(), nb::arg("untrained"),
          nb::arg("seen").none() = nb::none())
      .def(
          "recommend_to_new",
          [options](const Ranker& ranker, const Interactions& history, std::size_t k, bool cosine,
                    bool exclude_seen, const std::optional<IndexArray>& among,
                    const std::optional<IndexArray>& without) {
            const ListOptions asked = options(k, cosine, exclude_seen, among, without, false);
            Lists lists;
            {
              const nb::gil_scoped_release release;
              lists = ranker.recommend_to_new(history, asked);
            }
            return arrays_of(std::move(lists));
          },
          nb::arg("history"), nb::arg("k"), nb::arg("cosine"), nb::arg("exclude_seen"),
          nb::arg("among").none(), nb::arg("without").none())
      .def(
          "similar",
          [](const Ranker& ranker, const IndexArray& rows, std::size_t k, bool users,
             bool untrained) {
            Lists lists;
            {
              const nb::gil_scoped_release release;
              lists = ranker.similar(numbers_of(rows), users, {.k = k, .untrained = untrained});
            }
            return arrays_of(std::move(lists));
          },
          nb::arg("rows"), nb::arg("k"), nb::arg("users"), nb::arg("untrained"))
      .def("scores",
           [](const Ranker& ranker, const IndexArray& users, const IndexArray& items) {
             return to_numpy(ranker.scores(numbers_of(users), numbers_of(items)));
           })
      .def(
          "evaluate",
          [](const Ranker& ranker, const Interactions& relevant, std::size_t k,
             const std::vector<const Interactions*>& exclude, bool cosine, bool each_user) {
            std::optional<prism::RankedLists> lists;
            {
              const nb::gil_scoped_release release;
              prism::EvaluateOptions measure{
                  .k = k,
                  .exclude = exclude,
                  .similarity = cosine ? prism::Similarity::cosine : prism::Similarity::dot};
              measure = prism::detail::excluding_seen(measure, ranker.saved().train, relevant);
              lists = prism::ranked_lists(ranker.saved().scorer, relevant, measure);
            }
            return each_user ? metrics_of_users(*lists) : report_of(lists->report(k));
          },
          nb::arg("relevant"), nb::arg("k"), nb::arg("exclude"), nb::arg("cosine"),
          nb::arg("each_user"));
}

}  // namespace prismcf
