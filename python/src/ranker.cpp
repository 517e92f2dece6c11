// SPDX-License-Identifier: BSD-3-Clause
#include "ranker.hpp"

#include <algorithm>
#include <limits>
#include <prism/core/error.hpp>
#include <prism/core/matrix.hpp>
#include <prism/evaluate/most_popular.hpp>
#include <prism/fold_in/fold_in.hpp>
#include <prism/kernel/row.hpp>
#include <prism/serve/item_filter.hpp>
#include <prism/serve/query.hpp>
#include <prism/serve/similar_items.hpp>
#include <utility>
#include <variant>

namespace prismcf {

namespace {

using prism::absent;
using prism::Interactions;
using prism::Scorer;
using RowIndex = prism::Index;

/// The items of an array, ascending, each once.
/// @throws prism::ArgumentError  for a row that is not below `items`
std::vector<RowIndex> ascending(const char* argument, const IndexArray& array, std::size_t items) {
  std::vector<RowIndex> rows(array.data(), array.data() + array.size());
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  prism::require(rows.empty() || rows.back() < items, argument,
                 "must have rows below " + std::to_string(items));
  return rows;
}

/// Makes the filters of the users of `seen`; owns the lists that they share.
class Filters {
 public:
  Filters(const ListOptions& options, const Interactions& seen, const Interactions& train)
      : options_(options), seen_(seen), train_(train) {
    if (options.among) among_.emplace(ascending("among", *options.among, train.items()));
    if (options.without) without_.emplace(ascending("without", *options.without, train.items()));
  }

  [[nodiscard]] prism::Recommendable of_user(RowIndex user) const {
    prism::Recommendable filter{.among = among_ ? &*among_ : nullptr,
                                .without = without_ ? &*without_ : nullptr};
    if (options_.exclude_seen) filter.unseen.emplace(seen_, user);
    if (!options_.untrained) filter.popularity = train_.item_degree();
    return filter;
  }

 private:
  const ListOptions& options_;
  const Interactions& seen_;
  const Interactions& train_;
  std::optional<prism::AllowList> among_;
  std::optional<prism::DenyList> without_;
};

Lists no_lists(std::size_t count, std::size_t k) {
  constexpr std::size_t most = std::size_t{1} << 33;  // items, of all lists
  prism::require(
      k >= 1 && k <= most && count <= most / k, "k",
      k == 0 ? std::string("must be at least 1, not 0")
             : "of " + std::to_string(k) + " is too large for " + std::to_string(count) + " lists");
  return {std::vector<RowIndex>(count * k, absent),
          std::vector<float>(count * k, std::numeric_limits<float>::quiet_NaN()), count, k};
}

void write(Lists& lists, std::size_t place, const std::vector<prism::ScoredItem<float>>& items) {
  for (std::size_t j = 0; j < std::min(items.size(), lists.k); ++j) {
    lists.items[place * lists.k + j] = items[j].item;
    lists.scores[place * lists.k + j] = items[j].score;
  }
}

/// Answers queries in blocks, so that the lists take little memory beside the result.
/// @param filter  of the query at a place
template <class Filter>
void answer(Lists& lists, const prism::ItemIndex<float>& index,
            std::span<const prism::Query<float>> queries, std::span<const std::size_t> places,
            const Filter& filter) {
  constexpr std::size_t block = 4096;
  for (std::size_t first = 0; first < queries.size(); first += block) {
    const std::size_t count = std::min(block, queries.size() - first);
    const auto found = index.top_k(queries.subspan(first, count), lists.k,
                                   [&](std::size_t q) { return filter(places[first + q]); });
    for (std::size_t q = 0; q < count; ++q) write(lists, places[first + q], found[q].items);
  }
}

/// Places of the users with and without interactions.
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> by_history(
    std::span<const RowIndex> users, const Interactions& data, bool all) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> places;
  for (std::size_t place = 0; place < users.size(); ++place) {
    prism::require(users[place] < data.users(), "users",
                   "must have rows below " + std::to_string(data.users()) + ", not " +
                       std::to_string(users[place]));
    const bool known = all || data.user_degree()[users[place]] > 0;
    (known ? places.first : places.second).push_back(place);
  }
  return places;
}

prism::SavedScorer<float> saved_from(const prism::AnyRecommender& model) {
  return {.scorer = prism::float_scorer(model.scorer()),
          .train = model.train(),
          .model = model.name(),
          .ranking = model.ranking(),
          .trained = prism::float_scorer(model.scorer(prism::Ranking{}))};
}

}  // namespace

Ranker::Ranker(prism::SavedScorer<float> saved) : saved_(std::move(saved)) {}
Ranker::Ranker(const std::shared_ptr<prism::AnyRecommender>& model)
    : model_(model), saved_(saved_from(*model)) {}

std::shared_ptr<Ranker> Ranker::with_ranking(const prism::Ranking& ranking) const {
  auto ranker = std::make_shared<Ranker>(prism::with_ranking(saved_, ranking));
  ranker->model_ = model_;
  return ranker;
}

std::shared_ptr<const Ranker::Index> Ranker::index(Rows rows) const {
  const std::lock_guard lock(mutex_);
  auto& index = indices_.at(static_cast<std::size_t>(rows));
  if (index != nullptr) return index;
  const auto make = [&](const Scorer<float>& scorer, prism::Similarity similarity) {
    index =
        std::make_shared<const Index>(scorer, prism::ItemIndexOptions{.similarity = similarity});
  };
  switch (rows) {
    case Rows::items:
      make(saved_.scorer, prism::Similarity::dot);
      break;
    case Rows::items_by_cosine:
      make(saved_.scorer, prism::Similarity::cosine);
      break;
    case Rows::items_alone:
      make(prism::item_to_item(saved_.scorer), prism::Similarity::cosine);
      break;
    case Rows::users:
      make(prism::user_to_user(saved_.scorer), prism::Similarity::cosine);
      break;
    case Rows::by_popularity:
      make(prism::most_popular(saved_.train), prism::Similarity::dot);
      break;
  }
  return index;
}

void Ranker::answer_with_popular(
    Lists& lists, std::span<const std::size_t> places,
    const std::function<prism::Recommendable(std::size_t place)>& filter) const {
  if (places.empty()) return;
  const std::vector<float> one{1};
  const std::vector<prism::Query<float>> queries(places.size(), prism::Query<float>(one));
  answer(lists, *index(Rows::by_popularity), queries, places, filter);
}

Lists Ranker::recommend(std::span<const RowIndex> users, const ListOptions& options) const {
  Lists lists = no_lists(users.size(), options.k);
  prism::require(options.seen == nullptr || options.seen->users() == users.size(), "seen",
                 "must have a user for each of those asked for");
  const Filters filters(options, options.seen != nullptr ? *options.seen : saved_.train,
                        saved_.train);
  const auto filter = [&](std::size_t place) {
    return filters.of_user(options.seen != nullptr ? static_cast<RowIndex>(place) : users[place]);
  };
  const auto [known, unknown] = by_history(users, saved_.train, options.untrained);
  std::vector<prism::Query<float>> queries;
  queries.reserve(known.size());
  for (const std::size_t place : known) {
    queries.push_back(prism::query_of(saved_.scorer, users[place]));
  }
  answer(lists, *index(rows_for(options.similarity)), queries, known, filter);
  answer_with_popular(lists, unknown, filter);
  return lists;
}

Lists Ranker::recommend_to_new(const Interactions& history, const ListOptions& options) const {
  const prism::Matrix<float> folded_in = prism::fold_in_users(
      saved_.trained, history, {.least_squares = {.similarity = options.similarity}});
  Lists lists = no_lists(history.users(), options.k);
  const Filters filters(options, history, saved_.train);
  std::vector<RowIndex> users(history.users());
  for (RowIndex user = 0; user < history.users(); ++user) users[user] = user;
  const auto filter = [&](std::size_t place) { return filters.of_user(users[place]); };
  const auto [known, unknown] = by_history(users, history, false);
  std::vector<prism::Query<float>> queries;
  for (const std::size_t place : known) {
    queries.emplace_back(std::span<const float>(prism::rows(folded_in)[place], folded_in.shape(1)));
  }
  answer(lists, *index(rows_for(options.similarity)), queries, known, filter);
  answer_with_popular(lists, unknown, filter);
  return lists;
}

Lists Ranker::similar(std::span<const RowIndex> rows, bool users,
                      const ListOptions& options) const {
  const Interactions& train = saved_.train;
  const std::span<const RowIndex> degree = users ? train.user_degree() : train.item_degree();
  const Scorer<float> scorer =
      users ? prism::user_to_user(saved_.scorer) : prism::item_to_item(saved_.scorer);
  const auto index = this->index(users ? Rows::users : Rows::items_alone);
  Lists lists = no_lists(rows.size(), options.k);
  std::vector<prism::Query<float>> queries;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < rows.size(); ++place) {
    prism::require(rows[place] < degree.size(), users ? "users" : "items",
                   "must have rows below " + std::to_string(degree.size()) + ", not " +
                       std::to_string(rows[place]));
    if (!options.untrained && degree[rows[place]] == 0) continue;  // nothing to compare by
    queries.push_back(prism::query_of(scorer, rows[place]));
    places.push_back(place);
  }
  answer(lists, *index, queries, places, [&](std::size_t place) {
    return [&, own = rows[place]](RowIndex other) {
      return other != own && (options.untrained || degree[other] > 0);
    };
  });
  return lists;
}

std::vector<float> Ranker::scores(std::span<const RowIndex> users,
                                  std::span<const RowIndex> items) const {
  prism::require(users.size() == items.size(), "items",
                 "must have an item for each of the " + std::to_string(users.size()) +
                     " users, not " + std::to_string(items.size()));
  const Scorer<float>& scorer = saved_.scorer;
  const prism::Rows<const float> user_rows = scorer.output.users();
  const prism::Rows<const float> item_rows = scorer.output.items();
  std::vector<float> scores(users.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const RowIndex user = users[k], item = items[k];
    const float similarity = prism::dot(user_rows[user], item_rows[item], user_rows.dim());
    scores[k] =
        scorer.factor_of_user(user) * scorer.factor_of_item(item) * (similarity - scorer.offset);
  }
  return scores;
}

}  // namespace prismcf
