// SPDX-License-Identifier: BSD-3-Clause
// The answers of recommend, one line for each item or user.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <optional>
#include <prism/core/matrix.hpp>
#include <prism/data/interactions.hpp>
#include <prism/experiment/json.hpp>
#include <prism/fold_in/fold_in.hpp>
#include <prism/serve/escaped_line.hpp>
#include <prism/serve/item_index.hpp>
#include <prism/serve/load_model.hpp>
#include <prism/serve/recommend.hpp>
#include <prism/serve/similar_items.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "ids.hpp"
#include "new_users.hpp"
#include "questions.hpp"

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
    const prism::Ranking ranking{.alpha = arguments.rank_alpha,
                                 .power = arguments.rank_power,
                                 .exponent = arguments.rank_exponent};
    if (!ranking.is_default() || ranking.exponent) {
      if (!saved_.ranking.is_default()) {
        say("ranks with " + ranking.label() + " in place of the model's " +
            saved_.ranking.as_chosen().label());
      }
      saved_ = prism::with_ranking(std::move(saved_), ranking);
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
      print_similar(prism::item_to_item(saved_.scorer),
                    trained(known(arguments_.similar_to, items()), items()), items());
    }
    if (arguments_.similar_users.given()) {
      print_similar(prism::user_to_user(saved_.scorer),
                    trained(known(arguments_.similar_users, users()), users()), users());
    }
    if (arguments_.users_for.given()) rank_users();
    if (!without_answer_.empty())
      not_answered("no answer is left for " + in_words("id", without_answer_));
    return all_answered_;
  }

 private:
  [[nodiscard]] const prism::Interactions& train() const noexcept { return saved_.train; }

  [[nodiscard]] Side users() const { return {"user", *train().user_ids(), train().user_degree()}; }
  [[nodiscard]] Side items() const { return {"item", *train().item_ids(), train().item_degree()}; }

  void say(const std::string& message) { std::fprintf(stderr, "recommend: %s\n", message.c_str()); }
  void not_answered(const std::string& why) {
    say(why);
    all_answered_ = false;
  }

  /// The rows of the ids that the model has, in order; names the others.
  Indices known(const IdOptions& options, const Side& side) {
    Found found;
    for (const std::string& id : options.ids) found.add(id, programs::row_of(side.ids, id));
    if (!options.file.empty()) found.add_file(options.file, side);
    if (!found.unknown.empty()) {
      not_answered("the model has no " + in_words(side.kind, found.unknown));
    }
    return std::move(found.rows);
  }

  /// The items of a file that the model has, ascending.
  Indices items_of(const std::string& file) {
    Found found;
    found.add_file(file, items());
    if (!found.unknown.empty()) say(file + ": the model has no " + in_words("item", found.unknown));
    if (found.rows.empty()) throw prism::DataError(file, 0, "has no item of the model");
    std::ranges::sort(found.rows);
    const auto repeated = std::ranges::unique(found.rows);
    found.rows.erase(repeated.begin(), repeated.end());
    return std::move(found.rows);
  }

  /// "user 7 has", "items 7, 8 have", of those rows without an interaction in training; empty if
  /// there are none.
  static std::string untrained(const Indices& rows, const Side& side) {
    std::vector<std::string> found;
    for (const Index row : rows) {
      if (side.degree[row] == 0) found.emplace_back(side.ids[row]);
    }
    if (found.empty()) return "";
    return in_words(side.kind, found) + (found.size() == 1 ? " has" : " have");
  }
  static void drop_untrained(Indices& rows, const Side& side) {
    std::erase_if(rows, [&](Index row) { return side.degree[row] == 0; });
  }

  /// The rows that may be compared by their direction: with training interactions, unless
  /// --untrained is rows. Names the others.
  Indices trained(Indices rows, const Side& side) {
    const std::string without = untrained(rows, side);
    if (without.empty() || arguments_.untrained == Untrained::rows) return rows;
    not_answered(without +
                 " no interaction in training, so there is nothing to compare by (--untrained "
                 "rows compares rows as initialised)");
    drop_untrained(rows, side);
    return rows;
  }

  /// The filter of a user of `seen`.
  [[nodiscard]] prism::Recommendable allowed(const prism::Interactions& seen, Index user) const {
    prism::Recommendable filter{.among = among_ ? &*among_ : nullptr,
                                .without = without_ ? &*without_ : nullptr};
    if (!arguments_.include_seen) filter.unseen.emplace(seen, user);
    if (arguments_.untrained != Untrained::rows) filter.popularity = train().item_degree();
    return filter;
  }

  void recommend_to_users() {
    Indices rows = known(arguments_.users, users());
    const std::string without = untrained(rows, users());
    if (!without.empty()) {
      if (arguments_.untrained == Untrained::popular) {
        say(without +
            " no interaction in training: the most popular items, scored by their number "
            "of users (see --untrained)");
      } else if (arguments_.untrained == Untrained::refuse) {
        not_answered(without + " no interaction in training");
        drop_untrained(rows, users());
      } else {
        say(without + " no interaction in training: ranked by rows as initialised");
      }
    }
    if (rows.empty()) return;
    const prism::ItemIndex<T> index(saved_.scorer, {.similarity = similarity()});
    print_lists(index, prism::queries_of(saved_.scorer, rows), train(), rows);
  }

  void recommend_to_new_users(const prism::Json& settings) {
    const prism::Interactions read = read_new_users(arguments_, settings);
    for (const std::string& id : users_left_out(arguments_, read)) {
      not_answered("all ratings of the user " + prism::detail::escaped_line(id) +
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
                     prism::detail::escaped_line(history.user_id(user)));
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
                    popular ? most_popular(allowed(seen, user)) : lists[k].items, items().ids);
      }
    }
  }

  /// The most popular items that the filter allows, with their number of users.
  std::vector<prism::ScoredItem<T>> most_popular(const prism::Recommendable& filter) {
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

  /// Prints the items of `scorer` that are most similar to each of `rows`. Those without training
  /// interactions are left out, unless --untrained is rows.
  /// @param scorer  of the items with themselves, or of the users with themselves
  void print_similar(const prism::Scorer<T>& scorer, Indices rows, const Side& side) {
    std::erase_if(rows, [&](Index row) {
      if (prism::detail::has_direction(scorer.output.items(), row)) return false;
      without_answer_.emplace_back(side.ids[row]);
      return true;
    });
    print_ranked(scorer, prism::Similarity::cosine, rows, side, side, [&](Index row, Index other) {
      return other != row && (arguments_.untrained == Untrained::rows || side.degree[other] > 0);
    });
  }

  /// Prints the users for whom each item of --users-for scores highest.
  void rank_users() {
    const Indices rows = trained(known(arguments_.users_for, items()), items());
    print_ranked(
        transposed(saved_.scorer), similarity(), rows, items(), users(),
        [&](Index item, Index user) {
          return (arguments_.include_seen || !train().contains(user, item)) &&
                 (arguments_.untrained == Untrained::rows || train().user_degree()[user] > 0);
        });
  }

  /// Prints the best items of `scorer` for each user in `rows`, of those with allowed(row, item).
  /// @param from, to  what the users and the items of `scorer` are
  template <class Allowed>
  void print_ranked(const prism::Scorer<T>& scorer, prism::Similarity by, const Indices& rows,
                    const Side& from, const Side& to, const Allowed& allowed) {
    if (rows.empty()) return;
    const prism::ItemIndex<T> index(scorer, {.similarity = by});
    for (std::size_t first = 0; first < rows.size(); first += batch) {
      const std::span some = std::span(rows).subspan(first, std::min(batch, rows.size() - first));
      const auto lists =
          index.top_k(prism::queries_of(scorer, some), arguments_.k, [&](std::size_t position) {
            return [&allowed, row = some[position]](Index other) { return allowed(row, other); };
          });
      for (std::size_t k = 0; k < some.size(); ++k) {
        print_lines(from.ids[some[k]], lists[k].items, to.ids);
      }
    }
  }

  /// Prints a line for each answer: `whose`, the rank from 1, its id, its score.
  void print_lines(std::string_view whose, const std::vector<prism::ScoredItem<T>>& answers,
                   const Ids& ids) {
    if (answers.empty()) without_answer_.emplace_back(whose);
    const std::string begin = prism::detail::escaped_line(std::string(whose));
    for (std::size_t k = 0; k < answers.size(); ++k) {
      std::printf("%s\t%zu\t%s\t%s\n", begin.c_str(), k + 1,
                  prism::detail::escaped_line(ids[answers[k].item]).c_str(),
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
