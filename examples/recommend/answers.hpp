// SPDX-License-Identifier: BSD-3-Clause
// The answers of recommend, one line for each item or user.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <optional>
#include <prism/core/matrix.hpp>
#include <prism/data/interactions.hpp>
#include <prism/experiment/json.hpp>
#include <prism/serve/escaped_line.hpp>
#include <prism/serve/fold_in.hpp>
#include <prism/serve/item_index.hpp>
#include <prism/serve/load_model.hpp>
#include <prism/serve/recommend.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allowed.hpp"
#include "arguments.hpp"
#include "ids.hpp"
#include "new_users.hpp"

namespace recommend {

/// Reads a saved model and prints what is asked of it. @tparam T  scalar type of its rows
template <class T>
class Answers {
  using Index = prism::Index;
  using Ids = prism::Ids;
  using Indices = std::vector<Index>;
  static constexpr std::size_t batch = 4096;  // lists computed together

 public:
  explicit Answers(const Arguments& arguments)
      : arguments_(arguments), saved_(prism::load_scorer<T>(arguments.model)) {
    if (arguments.rank_power || arguments.rank_alpha) {
      saved_ = prism::with_ranking(std::move(saved_),
                                   {.alpha = arguments.rank_alpha, .power = arguments.rank_power});
    }
    if (!arguments.among_file.empty()) among_.emplace(items_of(arguments.among_file));
    if (!arguments.without_file.empty()) without_.emplace(items_of(arguments.without_file));
  }

  /// @param settings  of the model's experiment, or null
  /// @return whether everything asked for was answered; the standard error names what was not
  bool print(const prism::Json& settings) {
    if (arguments_.users.given()) recommend_to_users();
    if (!arguments_.new_users.empty()) recommend_to_new_users(settings);
    if (arguments_.similar_to.given()) {
      const Indices items = known(arguments_.similar_to, item_ids(), "item");
      print_similar(saved_.scorer, trained(items, "item", train().item_degree()), item_ids(),
                    train().item_degree());
    }
    if (arguments_.similar_users.given()) {
      const Indices users = known(arguments_.similar_users, user_ids(), "user");
      print_similar(transposed(saved_.scorer), trained(users, "user", train().user_degree()),
                    user_ids(), train().user_degree());
    }
    if (arguments_.users_for.given()) rank_users();
    if (!without_answer_.empty())
      not_answered("no answer is left for " + in_words("id", without_answer_));
    return all_answered_;
  }

 private:
  [[nodiscard]] const prism::Interactions& train() const noexcept { return saved_.train; }
  [[nodiscard]] const Ids& user_ids() const noexcept { return *train().user_ids(); }
  [[nodiscard]] const Ids& item_ids() const noexcept { return *train().item_ids(); }

  void say(const std::string& message) { std::fprintf(stderr, "recommend: %s\n", message.c_str()); }
  void not_answered(const std::string& why) {
    say(why);
    all_answered_ = false;
  }

  /// The rows of the ids that the model has, in order; names the others.
  Indices known(const IdOptions& options, const Ids& ids, const std::string& kind) {
    Indices rows;
    std::vector<std::string> unknown;
    const auto add = [&](const std::string& id, Index row) {
      if (row == prism::absent) {
        unknown.push_back(id);
      } else {
        rows.push_back(row);
      }
    };
    for (const std::string& id : options.ids) add(id, examples::row_of(ids, id));
    if (!options.file.empty()) {
      for (const auto& [id, row] : examples::ids_in(options.file, ids, (kind + "s").c_str())) {
        add(id, row);
      }
    }
    if (!unknown.empty()) not_answered("the model has no " + in_words(kind, unknown));
    return rows;
  }

  /// The items of a file that the model has, ascending.
  Indices items_of(const std::string& file) {
    Indices items;
    std::vector<std::string> unknown;
    for (const auto& [id, item] : examples::ids_in(file, item_ids(), "items")) {
      if (item == prism::absent) {
        unknown.push_back(id);
      } else {
        items.push_back(item);
      }
    }
    if (!unknown.empty()) say(file + ": the model has no " + in_words("item", unknown));
    if (items.empty()) throw prism::DataError(file, 0, "has no item of the model");
    std::ranges::sort(items);
    const auto repeated = std::ranges::unique(items);
    items.erase(repeated.begin(), repeated.end());
    return items;
  }

  /// The ids of those rows that have no interaction in training.
  static std::vector<std::string> untrained(const Indices& rows, std::span<const Index> degree,
                                            const Ids& ids) {
    std::vector<std::string> found;
    for (const Index row : rows) {
      if (degree[row] == 0) found.emplace_back(ids[row]);
    }
    return found;
  }

  /// The rows that may be compared by their direction: with training interactions, unless
  /// --untrained is rows. Names the others.
  Indices trained(const Indices& rows, const std::string& kind, std::span<const Index> degree) {
    const Ids& ids = kind == "user" ? user_ids() : item_ids();
    const std::vector<std::string> without = untrained(rows, degree, ids);
    if (without.empty() || arguments_.untrained == Untrained::rows) return rows;
    not_answered(in_words(kind, without) + (without.size() == 1 ? " has" : " have") +
                 " no interaction in training, so there is nothing to compare by (--untrained "
                 "rows compares rows as initialised)");
    Indices rest;
    std::ranges::copy_if(rows, std::back_inserter(rest),
                         [&](Index row) { return degree[row] > 0; });
    return rest;
  }

  /// The filter of a user of `seen`.
  [[nodiscard]] Allowed allowed(const prism::Interactions& seen, Index user) const {
    Allowed filter{.among = among_ ? &*among_ : nullptr,
                   .without = without_ ? &*without_ : nullptr};
    if (!arguments_.include_seen) filter.unseen.emplace(seen, user);
    if (arguments_.untrained != Untrained::rows) filter.popularity = train().item_degree();
    return filter;
  }

  void recommend_to_users() {
    Indices users = known(arguments_.users, user_ids(), "user");
    const std::vector<std::string> without = untrained(users, train().user_degree(), user_ids());
    if (!without.empty()) {
      const std::string which =
          in_words("user", without) + (without.size() == 1 ? " has" : " have");
      if (arguments_.untrained == Untrained::popular) {
        say(which +
            " no interaction in training: the most popular items, scored by their number "
            "of users (see --untrained)");
      } else if (arguments_.untrained == Untrained::refuse) {
        not_answered(which + " no interaction in training");
        std::erase_if(users, [&](Index user) { return train().user_degree()[user] == 0; });
      } else {
        say(which + " no interaction in training: ranked by rows as initialised");
      }
    }
    if (users.empty()) return;
    const prism::ItemIndex<T> index(saved_.scorer, {.similarity = similarity()});
    print_lists(index, prism::queries_of(saved_.scorer, users), train(), users);
  }

  void recommend_to_new_users(const prism::Json& settings) {
    const prism::Interactions read = read_new_users(arguments_, settings);
    for (const std::string& id : users_left_out(arguments_, read)) {
      not_answered("all ratings of the user " + prism::escaped_line(id) +
                   " are below --min-rating");
    }
    std::vector<std::string> also_known;
    for (Index user = 0; user < read.users(); ++user) {
      if (train().find_user(read.user_id(user)) != prism::absent) {
        also_known.emplace_back(read.user_id(user));
      }
    }
    if (!also_known.empty()) {
      say(in_words("user", also_known) + (also_known.size() == 1 ? " is" : " are") +
          " in the model, too: here only the interactions of the file count");
    }
    const prism::Interactions history = with_items_of(train(), read);
    const prism::Matrix<T> folded_in = prism::fold_in_users(
        saved_.trained, history, {.least_squares = {.similarity = similarity()}});
    std::vector<prism::Query<T>> queries;
    Indices everyone;
    for (Index user = 0; user < history.users(); ++user) {
      if (history.user_degree()[user] == 0) {
        not_answered("the model has no item of the user " +
                     prism::escaped_line(history.user_id(user)));
        continue;
      }
      queries.emplace_back(std::span<const T>(prism::rows(folded_in)[user], folded_in.shape(1)));
      everyone.push_back(user);
    }
    const prism::ItemIndex<T> index(saved_.scorer, {.similarity = similarity()});
    print_lists(index, queries, history, everyone);
  }

  [[nodiscard]] prism::Similarity similarity() const noexcept {
    return arguments_.cosine ? prism::Similarity::cosine : prism::Similarity::dot;
  }

  /// Prints the lists of `users`, who are users of `seen`, in order.
  void print_lists(const prism::ItemIndex<T>& index, const std::vector<prism::Query<T>>& queries,
                   const prism::Interactions& seen, const Indices& users) {
    for (std::size_t first = 0; first < users.size(); first += batch) {
      const std::size_t count = std::min(batch, users.size() - first);
      const std::span some(queries.data() + first, count);
      const auto lists = index.top_k(some, arguments_.k, [&](std::size_t position) {
        return allowed(seen, users[first + position]);
      });
      for (std::size_t k = 0; k < count; ++k) {
        const Index user = users[first + k];
        const bool popular =
            arguments_.untrained == Untrained::popular && seen.user_degree()[user] == 0;
        print_lines(seen.user_id(user),
                    popular ? most_popular(allowed(seen, user)) : lists[k].items, item_ids());
      }
    }
  }

  /// The most popular items that the filter allows, with their number of users.
  std::vector<prism::ScoredItem<T>> most_popular(const Allowed& filter) {
    const std::span<const Index> degree = train().item_degree();
    if (by_popularity_.empty()) {
      by_popularity_.resize(degree.size());
      std::iota(by_popularity_.begin(), by_popularity_.end(), Index{0});
      std::ranges::sort(by_popularity_, [&](Index a, Index b) {
        return degree[a] != degree[b] ? degree[a] > degree[b] : a < b;
      });
    }
    std::vector<prism::ScoredItem<T>> items;
    for (const Index item : by_popularity_) {
      if (items.size() == arguments_.k) break;
      if (filter(item)) items.push_back({item, static_cast<T>(degree[item])});
    }
    return items;
  }

  /// Prints the rows of `scorer`'s items that are most similar to each of `rows`. Those without
  /// training interactions are left out, unless --untrained is rows.
  void print_similar(const prism::Scorer<T>& scorer, const Indices& rows, const Ids& ids,
                     std::span<const Index> degree) {
    const bool all = arguments_.untrained == Untrained::rows;
    const auto left_out = all ? 0 : static_cast<std::size_t>(std::ranges::count(degree, Index{0}));
    for (const Index row : rows) {
      auto similar = prism::similar_items(scorer, row, arguments_.k + left_out);
      if (!all) {
        std::erase_if(similar, [&](const auto& other) { return degree[other.item] == 0; });
      }
      similar.resize(std::min(similar.size(), arguments_.k));
      print_lines(ids[row], similar, ids);
    }
  }

  /// Prints the users for whom each item of --users-for scores highest.
  void rank_users() {
    const Indices items =
        trained(known(arguments_.users_for, item_ids(), "item"), "item", train().item_degree());
    if (items.empty()) return;
    const prism::Scorer<T> scorer = transposed(saved_.scorer);
    const prism::ItemIndex<T> index(scorer, {.similarity = similarity()});
    for (std::size_t first = 0; first < items.size(); first += batch) {
      const std::span some =
          std::span(std::as_const(items)).subspan(first, std::min(batch, items.size() - first));
      const auto lists =
          index.top_k(prism::queries_of(scorer, some), arguments_.k, [&](std::size_t position) {
            return [this, item = some[position]](Index user) {
              return (arguments_.include_seen || !train().contains(user, item)) &&
                     (arguments_.untrained == Untrained::rows || train().user_degree()[user] > 0);
            };
          });
      for (std::size_t k = 0; k < some.size(); ++k) {
        print_lines(item_ids()[some[k]], lists[k].items, user_ids());
      }
    }
  }

  /// Prints a line for each answer: `whose`, the rank from 1, its id, its score.
  void print_lines(std::string_view whose, const std::vector<prism::ScoredItem<T>>& answers,
                   const Ids& ids) {
    if (answers.empty()) without_answer_.emplace_back(whose);
    const std::string begin = prism::escaped_line(std::string(whose));
    for (std::size_t k = 0; k < answers.size(); ++k) {
      std::printf("%s\t%zu\t%s\t%s\n", begin.c_str(), k + 1,
                  prism::escaped_line(ids[answers[k].item]).c_str(),
                  prism::format_number(static_cast<double>(answers[k].score)).c_str());
    }
  }

  const Arguments& arguments_;
  prism::SavedScorer<T> saved_;
  std::optional<prism::AllowList> among_;
  std::optional<prism::DenyList> without_;
  Indices by_popularity_;                    // once it is needed
  std::vector<std::string> without_answer_;  // ids whose lists are empty
  bool all_answered_ = true;
};

}  // namespace recommend
